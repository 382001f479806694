package dev.stagesim.verify.fidelity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.verify.fidelity.corpus.Cards;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FidelityTest {
    private static final String HEADER = "source_id,engine,engine_version,model,card,dtype,gpu,num_gpus,tp,pp,dp,ep,"
            + "input_len,output_len,load_kind,load,metric,value,unit,note";

    @TempDir
    private Path corpus;

    private static final Cards CARDS = new Cards() {
        @Override
        public Optional<ModelCard> model(String option) {
            return option.contains("qwen3_0_6b") ? Optional.of(CardFiles.model("qwen3")) : Optional.empty();
        }

        @Override
        public Optional<HardwareCard> hardware(String option) {
            return option.equals("a100_sxm_80gb") ? Optional.of(CardFiles.hardware("a100")) : Optional.empty();
        }

        @Override
        public Optional<StepCard> engine(String option) {
            return Optional.of(CardFiles.engine(option));
        }
    };

    private FidelityReport report(String... rows) throws IOException {
        Files.write(corpus.resolve("rows.csv"), List.of(HEADER + "\n" + String.join("\n", rows)));
        return Fidelity.of(corpus, CARDS, done -> {});
    }

    private static String row(String engine, String model, String gpu, String load, String metric, String value) {
        return "s," + engine + ",0.1," + model + ",,bf16," + gpu + ",1,1,1,1,1,11,64," + load + "," + metric + ","
                + value + ",ms,";
    }

    @Test
    void evaluatesRowsOrRejectsThemWithAReason() throws IOException {
        FidelityReport report = report(
                row("sarathi", "Qwen/Qwen3-0.6B", "A100-SXM-80GB", "batch,1", "tpot_p50", "13.6"),
                row("sarathi", "Qwen/Qwen3-0.6B-Instruct", "A100-SXM-80GB", "batch,1", "ttft_p50", "17.3"),
                row("sarathi", "a/b", "A100-SXM-80GB", "batch,1", "tpot_p50", "13.6"),
                row("sarathi", "Qwen/Qwen3-0.6B", "X1", "batch,1", "tpot_p50", "13.6"),
                row("unheard", "Qwen/Qwen3-0.6B", "A100-SXM-80GB", "batch,1", "tpot_p50", "13.6"));
        String json = Json.compact(report.json());
        assertThat(json).contains("\"rows\":5", "\"predicted\":2", "median_abs_percent", "p90_abs_percent");
        assertThat(json)
                .contains("no model card for a/b", "no hardware card for X1", "no engine card for unheard")
                .contains("\"file\":\"rows.csv\"", "\"line\":4");
        assertThat(report.judged())
                .allSatisfy(each -> assertThat(each.percent()).isBetween(-10.0, 10.0));
    }

    @Test
    void simulatesClientsWithStreamsAndRates() throws IOException {
        FidelityReport report = report(
                row("vllm_v1", "Qwen/Qwen3-0.6B", "A100-SXM-80GB", "concurrency,1", "tpot_mean", "2"),
                row("vllm_v1", "Qwen/Qwen3-0.6B", "A100-SXM-80GB", "concurrency,64", "tpot_mean", "2"),
                row("vllm_v1", "Qwen/Qwen3-0.6B", "A100-SXM-80GB", "concurrency,64", "ttft_mean", "2"),
                row("vllm_v1", "Qwen/Qwen3-0.6B", "A100-SXM-80GB", "qps,2", "ttft_p99", "2"),
                row("vllm_v1", "Qwen/Qwen3-0.6B", "A100-SXM-80GB", "qps,2", "e2e_mean", "2"));
        List<RowPrediction> rows = report.judged();
        assertThat(rows).hasSize(5);
        assertThat(rows.get(1).predicted()).isGreaterThan(rows.get(0).predicted());
        // The TTFT includes the fixed time per request.
        assertThat(rows.get(2).predicted()).isGreaterThan(6);
        assertThat(rows.get(4).predicted()).isGreaterThan(rows.get(3).predicted() + 63 * 1.0);
        Files.writeString(corpus.resolve("page.html"), FidelityPage.html(report));
        assertThat(Files.readString(corpus.resolve("page.html"))).contains("<svg", "Predicted and measured");
    }

    /** Ten decode workers do not serve one stream faster than one. */
    @Test
    void countsTheTokensOfAllStreams() throws IOException {
        FidelityReport report = report(pools(1, 1), pools(10, 1), pools(1, 10));
        double one = report.judged().get(0).predicted();
        assertThat(report.judged().get(1).predicted()).isCloseTo(one, Percentage.withPercentage(2));
        // 63 of the 64 output tokens are decode steps, which take 72 % of the time of one stream. Steps of ten streams
        // are
        // at least 8 % longer: 10 / (1 + 0.72 * 0.08) = 9.5. Steps that ignore the batch size have a factor of 10.
        assertThat(report.judged().get(2).predicted()).isBetween(4 * one, 9.5 * one);
    }

    private static String pools(int decodes, int streams) {
        String load = "concurrency," + streams;
        return row("sglang", "Qwen/Qwen3-0.6B", "A100-SXM-80GB", load, "output_throughput", "20")
                + "\"dstack; random; num_prompts 20; prefill workers 1 decode workers " + decodes + ", TP 1 each\"";
    }

    /** The first prompts of SGLang wait for its kernels. They are one in ten requests, so the median does not show them. */
    @Test
    void delaysTheFirstPromptsOfColdEngines() throws IOException {
        FidelityReport report = report(cold("ttft_p50"), cold("ttft_p99"), cold("tpot_p50"));
        assertThat(report.judged().get(0).predicted()).isLessThan(200);
        assertThat(report.judged().get(1).predicted()).isBetween(400.0, 600.0);
        assertThat(report.judged().get(2).predicted()).isLessThan(20);
    }

    private static String cold(String metric) {
        return row("sglang", "Qwen/Qwen3-0.6B", "A100-SXM-80GB", "concurrency,4", metric, "20")
                + "InferenceX run; 2026-03-01; framework sglang";
    }

    /**
     * In LLM-Inference-Bench, the batch of llama.cpp is the number of prompt tokens per step. At one token per step,
     * prefill takes as long as decode.
     */
    @Test
    void readsBatchesOfLlamaBenchAsTokens() throws IOException {
        FidelityReport report = report(
                llama(1, 1, 512, "e2e_batch"),
                llama(1, 256, 512, "e2e_batch"),
                llama(4, 1, 512, "e2e_batch"),
                llama(1, 1, 0, "output_throughput"));
        double alone = report.judged().get(0).predicted();
        double chunks = report.judged().get(1).predicted();
        double spread = report.judged().get(2).predicted();
        assertThat(alone).isBetween(1.8 * chunks, 2.05 * chunks);
        assertThat(spread).isBetween(0.6 * alone, 0.65 * alone);
        // 1,024 steps of one token. Later steps attend to more tokens.
        assertThat(alone / 1024 * report.judged().get(3).predicted()).isBetween(1000.0, 1100.0);
    }

    private static String llama(int devices, int batch, int prompt, String metric) {
        return "argonne,llama.cpp,2024,Qwen/Qwen3-0.6B,,bf16,A100-SXM-80GB," + devices + "," + devices + ",1,1,1,"
                + prompt + ",512,batch," + batch + "," + metric + ",9000,ms,";
    }

    /** A run of two replicas has the times of one of them. */
    @Test
    void readsRunsOfTwoReplicas() throws IOException {
        FidelityReport report = report(replicas(1, "1FP8-amd"), replicas(2, "2FP8-amd"), replicas(2, "1FP8-amd"));
        double one = report.judged().get(0).predicted();
        assertThat(report.judged().get(1).predicted()).isEqualTo(one);
        assertThat(report.judged().get(2).predicted()).isLessThan(one);
    }

    private static String replicas(int devices, String name) {
        return "dstack-405b,vllm_v0,0.6,Qwen/Qwen3-0.6B,,bf16,A100-SXM-80GB," + devices + "," + devices
                + ",1,1,1,8192,64,batch,16,e2e_batch,9000,ms,dstack; 8xMi300x " + name;
    }

    /** Runs of trtllm-bench send equal requests at once, so the devices are half empty at the end. */
    @Test
    void finishesRunsOfTrtllmBench() throws IOException {
        FidelityReport report =
                report(bench("0.17", 128, 2048), bench("0.20", 128, 2048), bench("1.0", 128, 128), bench("1.0", 7, 7));
        double engine = report.judged().get(0).predicted();
        double pytorch = report.judged().get(1).predicted();
        // 1,500 of 3,000 concurrent sequences run as 2,048 in a captured graph, with more host time.
        assertThat(pytorch).isLessThan(0.95 * engine);
        assertThat(Json.compact(report.json())).contains("the number of requests with 7 and 7 tokens is unknown");
        assertThat(report.csv().get(1)).matches(".*,-?[0-9.]+");
    }

    private static String bench(String version, int input, int output) {
        return "trtllm-perf-overview,trtllm," + version + ",Qwen/Qwen3-0.6B,,bf16,A100-SXM-80GB,1,1,1,1,1," + input
                + "," + output + ",unlimited,inf,output_throughput,10000000,tokens/s,";
    }

    @Test
    void usesTheStepSizesOfTrtllmBench() {
        assertThat(TrtllmBench.tuned(10)).isEqualTo(64);
        assertThat(TrtllmBench.tuned(100)).isEqualTo(128);
        assertThat(TrtllmBench.tuned(300)).isEqualTo(384);
        assertThat(TrtllmBench.tuned(1100)).isEqualTo(1280);
        assertThat(TrtllmBench.chunk(100, 128, 2048)).isEqualTo(2048);
        assertThat(TrtllmBench.chunk(2200, 1000, 1000)).isEqualTo(4608);
        assertThat(TrtllmBench.chunk(4096, 2048, 128)).isEqualTo(32768);
    }

    @Test
    void writesTheSameBytesTwice() throws IOException {
        String row = row("vllm_v1", "Qwen/Qwen3-0.6B", "A100-SXM-80GB", "concurrency,16", "tpot_mean", "2");
        assertThat(report(row).csv()).isEqualTo(report(row).csv());
    }

    @Test
    void rejectsAFolderWithoutMeasurements() {
        assertThatThrownBy(() -> Fidelity.of(corpus, CARDS, done -> {}))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("contains no measurements");
        assertThatThrownBy(() -> Fidelity.of(corpus.resolve("none"), CARDS, done -> {}))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("expected a directory");
    }
}
