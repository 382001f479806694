package dev.stagesim.stage.realbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.RunRef;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the stage from the shipped configs with its workload. */
class RealBenchRunTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", ".")).toAbsolutePath();
    private final ConfigEngine configs = ConfigEngine.open(List.of(new SearchRoot("main", HOME.resolve("configs"))));

    @TempDir
    private Path work;

    private RunRef run(String... overrides) {
        Pipeline pipeline =
                new Pipeline(StageRegistry.standard(), HOME, work, PipelineListener.NONE, Clock.systemUTC());
        ComposeRequest request = ComposeRequest.of("real_bench", List.of(overrides));
        Composition composed = configs.compose(request.withSchema(SettingsSchema.of(RealBenchSettings.class)));
        return pipeline.run(
                new RealBenchStage(), RunRequest.of(composed.config(), List.of(overrides)), RunOptions.DEFAULT);
    }

    @Test
    void readsTheShippedRecordingByDefault() {
        RunRef run = run();
        assertThat(run.meta().headlines()).containsEntry("ttft_p50_ms", 17.2839625);
        assertThat(run.meta().inputs()).extracting(i -> i.role()).contains("workload");
        assertThat(run.dir().resolve("trace_lengths.csv")).exists();
        assertThat(run().reused()).isTrue();
    }

    @Test
    void resolvesShortNames() {
        assertThat(run("model=qwen3_0_6b", "hardware=a100_sxm_80gb").runId()).isEqualTo(run().runId());
    }

    @Test
    void suggestsTheMatchingWorkload() {
        assertThatThrownBy(() -> run("workload=chat_poisson"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("128 requests in the workload, 8 measured")
                .hasMessageContaining("workload=spaced_chat");
    }

    @Test
    void readsAFile() {
        String file = HOME.resolve("tests-data/real/vllm_detailed.json").toString();
        RunRef run = run("real=vllm", "real.file=" + file);
        assertThat(run.meta().headlines()).containsEntry("failed", 1.0);
        assertThat(run.meta().inputs()).noneMatch(i -> i.role().equals("workload"));
    }
}
