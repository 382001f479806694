package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recording of vLLM on an RTX 4090 that the tests ship. */
final class ModernRecordingTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    @TempDir
    private Path work;

    @Test
    void itsRequestsArePredicted() {
        Run run = Stagesim.open(HOME, work)
                .run(
                        "compare",
                        "model=meta_llama_meta_llama_3_1_8b",
                        "hardware=rtx_4090",
                        "engine=vllm_v1",
                        "real=recorded",
                        "real.file=" + HOME.resolve("tests-data/recordings/llama3.1-8b-rtx4090-vllm"),
                        // the defaults of vLLM 0.19
                        "scheduler.gpu_memory_utilization=0.9",
                        "scheduler.estimate_graph_memory=false");
        Map<String, Double> figures = run.figures();
        // the medians that the source publishes
        assertThat(figures.get("tpot_p50_real_ms")).isCloseTo(30.76, within(0.01));
        assertThat(figures.get("e2e_p50_real_ms")).isCloseTo(83_413, within(20.0));
        assertThat(figures.get("e2e_p50_error_percent")).isBetween(-10.0, 10.0);
        assertThat(figures.get("throughput_error_percent")).isBetween(-10.0, 10.0);
        assertThat(figures.get("ttft_p50_error_percent")).isBetween(-15.0, 15.0);
    }
}
