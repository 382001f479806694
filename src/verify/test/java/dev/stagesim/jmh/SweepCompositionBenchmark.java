package dev.stagesim.jmh;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.stage.compare.CompareStageSettings;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time to compose the configuration of one job of a sweep over the stage {@code compare}. Values differ between jobs;
 * groups are constant or alternate.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class SweepCompositionBenchmark {
    private static final ResolverContext CONTEXT =
            new ResolverContext(Map.of(), Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty());

    private ConfigEngine engine;
    private SettingsSchema schema;
    private int job;

    @Setup
    public void open() {
        Path configs = Path.of(System.getProperty("stagesim.home", ".")).resolve("configs");
        engine = ConfigEngine.open(List.of(new SearchRoot("main", configs)));
        schema = SettingsSchema.of(CompareStageSettings.class);
    }

    private MapNode job(String hardware) {
        job++;
        Composition composed = engine.compose(ComposeRequest.of(
                        "compare",
                        List.of(
                                "model=qwen3",
                                "hardware=" + hardware,
                                "workload.num_requests=" + job,
                                "cluster.replicas=" + job))
                .withSchema(schema));
        return composed.withConfig(schema.complete(composed.config())).resolved(Resolvers.installed(CONTEXT));
    }

    @Benchmark
    public MapNode values() {
        return job("a100");
    }

    @Benchmark
    public MapNode groups() {
        return job((job & 1) == 0 ? "a100" : "h100");
    }
}
