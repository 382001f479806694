package dev.stagesim.feature.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.PortableRun;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RemoteJobTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath().normalize();

    @TempDir
    Path dir;

    private String run(String stage, String... overrides) {
        return RemoteJob.run(HOME.toString(), dir.toString(), job(stage, overrides));
    }

    private static String job(String stage, String... overrides) {
        SettingsSchema schema = SettingsSchema.of(
                StageRegistry.standard().find(stage).orElseThrow().spec().settings());
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", HOME.resolve("configs"))));
        MapNode tree = schema.complete(
                engine.compose(ComposeRequest.of(stage, List.of(overrides)).withSchema(schema))
                        .config());
        RunRequest request = new RunRequest(
                tree, List.of(overrides), Map.of(), Optional.empty(), Optional.empty(), BindOptions.STRICT);
        return new PortableRun(stage, request, RunOptions.DEFAULT).text();
    }

    @Test
    void listsARunWithItsUpstreamRuns() {
        String answer = run("vidur_sim", "workload.num_requests=2");
        assertThat(answer.split(RemoteJob.SEPARATOR, 0))
                .hasSize(3)
                .satisfies(words -> assertThat(words[0]).isEqualTo(RemoteJob.DONE))
                .satisfies(words -> assertThat(words[1]).startsWith("vidur_sim/vidur_sim-"))
                .satisfies(words -> assertThat(List.of(words)).anyMatch(word -> word.startsWith("workload/")));
        assertThat(dir.resolve("tmp")
                        .resolve(answer.split(RemoteJob.SEPARATOR, 0)[1])
                        .resolve("run_meta.json"))
                .isRegularFile();
        assertThat(run("vidur_sim", "workload.num_requests=2"))
                .isEqualTo(answer.replaceFirst(RemoteJob.DONE, RemoteJob.REUSED));
    }

    @Test
    void reportsAFailureInOneLine() {
        assertThat(run("vidur_sim", "cluster.tensor_parallel_size=3"))
                .isEqualTo(RemoteJob.FAILED + RemoteJob.SEPARATOR
                        + "config error: cluster.tensor_parallel_size: is 3, which does not divide the model's query"
                        + " heads (16)");
    }

    @Test
    void executesUpstreamRunsSeparately() throws Exception {
        String job = job("vidur_sim", "workload.num_requests=2");
        assertThat(RemoteJob.prepare(HOME.toString(), dir.toString(), job)).isEqualTo(RemoteJob.PREPARED);
        assertThat(dir.resolve("tmp/workload")).isDirectory();
        assertThat(dir.resolve("tmp/vidur_sim")).doesNotExist();
    }

    @Test
    void returnsMetricsWithoutARun() throws Exception {
        String answer =
                RemoteJob.evaluate(HOME.toString(), dir.toString(), job("vidur_sim", "workload.num_requests=20"));
        assertThat(dir.resolve("tmp/vidur_sim")).doesNotExist();
        String[] words = answer.split(RemoteJob.SEPARATOR, -1);
        assertThat(words[0]).isEqualTo(RemoteJob.FIGURES);
        String run = run("vidur_sim", "workload.num_requests=20").split(RemoteJob.SEPARATOR, -1)[1];
        Json.read(dir.resolve("tmp").resolve(run).resolve("run_meta.json"))
                .get("headlines")
                .members()
                .forEach(
                        (name, value) -> assertThat(SparkOracle.parse(words[1])).containsEntry(name, value.asDouble()));
        assertThat(RemoteJob.evaluate(
                        HOME.toString(), dir.toString(), job("vidur_sim", "cluster.tensor_parallel_size=3")))
                .startsWith(RemoteJob.REFUSED + RemoteJob.SEPARATOR + "config error: cluster.tensor_parallel_size");
    }
}
