package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Simulates the recordings of vLLM 0.19 in the test data. */
final class ModernRecordingTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    @TempDir
    private Path work;

    private Map<String, Double> compared(String model, String hardware, String recording, String... more) {
        List<String> overrides = new ArrayList<>(List.of(
                "model=" + model,
                "hardware=" + hardware,
                "engine=vllm_v1",
                "real=recorded",
                "real.file=" + HOME.resolve("tests-data/recordings/" + recording),
                // The defaults of vLLM 0.19.
                "scheduler.gpu_memory_utilization=0.9",
                "scheduler.estimate_graph_memory=false"));
        overrides.addAll(List.of(more));
        return Stagesim.open(HOME, work)
                .run("compare", overrides.toArray(String[]::new))
                .figures();
    }

    @Test
    void predictsARecordingOnOneDevice() {
        Map<String, Double> figures = compared("meta_llama_meta_llama_3_1_8b", "rtx_4090", "llama3.1-8b-rtx4090-vllm");
        // The medians in the published report.
        assertThat(figures.get("tpot_p50_real_ms")).isCloseTo(30.76, within(0.01));
        assertThat(figures.get("e2e_p50_real_ms")).isCloseTo(83_413, within(20.0));
        assertThat(figures.get("e2e_p50_error_percent")).isBetween(-10.0, 10.0);
        assertThat(figures.get("throughput_error_percent")).isBetween(-10.0, 10.0);
        assertThat(figures.get("ttft_p50_error_percent")).isBetween(-15.0, 15.0);
    }

    @Test
    void predictsARecordingOnTwoDevices() {
        Map<String, Double> figures = compared(
                "qwen_qwen3_32b",
                "rtx_pro_6000_server",
                "qwen3-32b-rtx-pro-6000-vllm",
                "scheduler.max_num_seqs=128",
                "cluster.tensor_parallel_size=2");
        assertThat(figures.get("tpot_p50_real_ms")).isCloseTo(84.277, within(0.01));
        for (String figure : List.of("tpot_p50", "e2e_p50", "ttft_p50", "throughput")) {
            assertThat(figures.get(figure + "_error_percent")).as(figure).isBetween(-10.0, 10.0);
        }
    }
}
