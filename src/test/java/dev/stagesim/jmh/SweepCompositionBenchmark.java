package dev.stagesim.jmh;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.SearchRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

/** Asks what one job of a sweep costs: its values differ from job to job, its groups do not or take turns. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class SweepCompositionBenchmark {
    private static final int GROUPS = 8;
    private static final int KEYS = 20;

    private ConfigEngine engine;
    private int job;

    @Setup
    public void write() throws IOException {
        Path root = Files.createTempDirectory("sweep");
        StringBuilder config = new StringBuilder("defaults = [ _self_");
        for (int g = 0; g < GROUPS; g++) {
            config.append(", { g").append(g).append(" = a }");
            for (String option : List.of("a", "b")) {
                Path file = root.resolve("g" + g).resolve(option + ".conf");
                Files.createDirectories(file.getParent());
                StringBuilder body = new StringBuilder();
                for (int k = 0; k < KEYS; k++) {
                    body.append('k').append(k).append(" = ").append(k).append('\n');
                }
                Files.writeString(file, body);
            }
        }
        Files.writeString(root.resolve("config.conf"), config.append(" ]\nseed = 0\n"));
        engine = ConfigEngine.open(List.of(new SearchRoot("main", root)));
    }

    @Benchmark
    public Composition values() {
        job++;
        return engine.compose(
                ComposeRequest.of("config", List.of("g0=b", "g1.k3=" + job, "seed=" + job, "g2.k1=x" + job)));
    }

    @Benchmark
    public Composition groups() {
        job++;
        String option = (job & 1) == 0 ? "a" : "b";
        return engine.compose(ComposeRequest.of("config", List.of("g0=" + option, "g5=" + option, "seed=" + job)));
    }
}
