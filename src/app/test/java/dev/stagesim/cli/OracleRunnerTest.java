package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.cli.console.Home;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.pipeline.OracleRunner;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.stage.Stage;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Headline values of a simulation in memory equal the values of a recorded run. */
final class OracleRunnerTest {
    @TempDir
    private Path dir;

    @Test
    void returnsTheMetricsOfTheRunFromMemory() {
        Home home = Home.fromEnvironment();
        StageRegistry registry = StageRegistry.standard();
        Stage<?> stage = registry.find("vidur_sim").orElseThrow();
        JobComposer composer = new JobComposer(
                ConfigEngine.open(List.of(new SearchRoot("main", home.configs()))), stage, "vidur_sim", Home::shown);
        Pipeline pipeline = new Pipeline(registry, home.dir(), dir, PipelineListener.NONE, Clock.systemUTC());
        OracleRunner answers = new OracleRunner(pipeline);
        for (String scheduler : List.of("vllm", "sarathi", "lightllm")) {
            RunRequest request = composer.request(
                    List.of("scheduler=" + scheduler, "workload.num_requests=40", "cluster.replicas=2"));
            RunRequest other = request.with(Map.of("arrival.qps", 7.5, "workload.seed", 3L));
            for (RunRequest one : List.of(request, other)) {
                SortedMap<String, Double> figures = answers.figures(stage, one);
                RunRef run = pipeline.run(stage, one, RunOptions.DEFAULT);
                assertThat(figures).containsAllEntriesOf(run.meta().headlines());
                assertThat(figures).containsEntry("devices", 2.0).containsKeys("usd_per_mtok", "tpot_p99_ms");
                // A workload from a run directory gives the same values.
                RunRequest given = composer.request(List.of(
                        "scheduler=" + scheduler,
                        "cluster.replicas=2",
                        "workload.dir=" + dir.resolve("tmp/workload").resolve(workload(run))));
                assertThat(answers.figures(stage, given)).isEqualTo(figures);
            }
        }
    }

    private static String workload(RunRef run) {
        return run.meta().inputs().stream()
                .filter(input -> input.role().equals("workload"))
                .findFirst()
                .flatMap(input -> input.runId())
                .orElseThrow();
    }
}
