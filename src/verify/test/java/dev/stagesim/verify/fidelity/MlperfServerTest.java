package dev.stagesim.verify.fidelity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.verify.fidelity.lengths.MlperfTokens;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MlperfServerTest {
    private static final String SETTINGS = "tp 1 pp 1 ep  batch 2048 max_num_tokens 3584 precision fp4 kv fp8 adp ";

    private static Row row(String kind, double rate, String metric, String note) {
        return new Row(
                new Row.Origin("mlperf.csv", 2, "mlperf-inference-6.0"),
                new Row.Setup(
                        "trtllm",
                        "TensorRT 10.14",
                        "meta-llama/Llama-2-70b-chat-hf",
                        "",
                        "fp4",
                        "NVIDIA B200-SXM-180GB"),
                new Row.Groups(8, 1, 1, 1, 1),
                new Row.Load("294", 294, kind, rate),
                metric,
                1,
                note);
    }

    @Test
    void needsTheRateAndTheSettings() {
        assertThat(MlperfServer.isComplete(row("server", 300, "output_throughput", SETTINGS)))
                .isTrue();
        assertThat(MlperfServer.isComplete(row("server", Double.NaN, "output_throughput", SETTINGS)))
                .isFalse();
        assertThat(MlperfServer.isComplete(row("server", 300, "output_throughput", "batch  max_num_tokens  ")))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "server, ttft_p99, at its capacity",
        "interactive, tpot_p50, at its capacity",
        "offline, e2e_p50, from the start of the run"
    })
    void refusesLatenciesOfTunedSystems(String kind, String metric, String reason) {
        assertThatThrownBy(() -> ExcludedRows.check(row(kind, 300, metric, SETTINGS)))
                .isInstanceOf(UnpredictableRow.class)
                .hasMessageContaining(reason);
    }

    /** Rows of Llama 2 state the outputs as prompts. */
    @ParameterizedTest
    @CsvSource({
        "mlperf-inference-5.1, meta-llama/Llama-2-70b-chat-hf, 222, ",
        "mlperf-inference-6.0, meta-llama/Llama-3.1-8B-Instruct, 871, 128",
        "mlperf-inference-6.0, deepseek-ai/DeepSeek-R1, , ",
        "argonne, meta-llama/Llama-2-70b-hf, , "
    })
    void knowsTheLengthsOfDataSets(String source, String model, Integer input, Integer output) {
        assertThat(MlperfTokens.input(source, model)).isEqualTo(Optional.ofNullable(input));
        assertThat(MlperfTokens.output(source, model)).isEqualTo(Optional.ofNullable(output));
    }

    @ParameterizedTest
    @CsvSource({
        "NVIDIA RTX PRO 6000 Blackwell Server Edition, rtx_pro_6000_server",
        "AMD Instinct MI355X 288GB HBM3e, mi355x",
        "NVIDIA B200-SXM-180GB, b200_sxm_180gb",
        "B200-SXM-180GB, b200_sxm_180gb"
    })
    void readsNamesOfDevices(String name, String option) {
        assertThat(Subjects.option(name)).isEqualTo(option);
    }
}
