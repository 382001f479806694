package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sweeps with upstream stages on local Spark, and on a cluster without access to the working directory. */
@Tag("long")
class SparkTest {
    /** Five jobs over three workloads and one bundle of operator times. */
    private static final List<String> SWEEP = List.of(
            "vidur_sim",
            "-m",
            "workload.seed=range(0,3)",
            "cluster.replicas=1,2",
            "workload.num_requests=20",
            "sweeper.exclude=[\"workload.seed=2 cluster.replicas=2\"]");

    private static final Pattern RAN =
            Pattern.compile("stagesim: run[0-9]+ wished for \\[(.*)], done by (executor_127.0.0.1_[0-9]+)");

    @TempDir
    Path scratch;

    private Installed stage;
    private SparkCluster spark;

    @BeforeEach
    void install() throws Exception {
        stage = new Installed(scratch.resolve("home"));
        spark = SparkCluster.of(stage, scratch.resolve("spark"));
    }

    @AfterEach
    void end() throws Exception {
        stage.close();
    }

    private Path run(String name, String... more) throws Exception {
        Path dir = Files.createDirectories(scratch.resolve(name));
        String[] words = Stream.concat(SWEEP.stream(), Stream.of(more)).toArray(String[]::new);
        assertThat(stage.stage(dir, name, words).waitFor()).as(err(dir, name)).isZero();
        return dir;
    }

    private static String err(Path dir, String name) {
        return Installed.output(dir.resolve(name + ".err"));
    }

    private static Map<String, String> expected(Path dir) throws IOException {
        Map<String, String> content = Installed.content(dir);
        assertThat(content.keySet()).anyMatch(name -> name.endsWith("token_percentiles.csv"));
        return content;
    }

    @Test
    void usesAllCoresByDefault() throws Exception {
        Map<String, String> expected = expected(run("threads"));
        Path dir = run("spark_here", "launcher=spark");
        assertThat(Installed.content(dir)).isEqualTo(expected);
        assertThat(err(dir, "spark_here"))
                .contains("starting at local[*]")
                .contains("tmp/.cache/spark/driver-")
                .contains("is up at local[*]");
    }

    @Test
    void returnsRunsOfAClusterThroughADirectory() throws Exception {
        Map<String, String> expected = expected(run("threads"));
        String master = spark.master();
        spark.worker(master, "one");
        spark.worker(master, "two");
        Path passed = Files.createDirectories(scratch.resolve("passed"));
        String[] cluster = {
            "launcher=spark",
            "launcher.submit=" + spark.submit(),
            "launcher.master=" + master,
            "launcher.results=" + passed.toUri(),
            "launcher.conf=[spark.executor.memory=512m]"
        };
        Path dir = run("cluster", cluster);
        assertThat(Installed.content(dir)).isEqualTo(expected);
        try (Stream<Path> runs = Files.list(passed.resolve("vidur_sim"))) {
            assertThat(runs.filter(run -> !run.getFileName().toString().startsWith(".")))
                    .hasSize(5);
        }
        // Upstream runs that several jobs use are prepared once, before the jobs, and copied to them.
        String log = logs(dir);
        assertThat(log.lines().filter(line -> line.startsWith("stagesim: prepare")))
                .as(log)
                .hasSize(2);
        assertThat(log.lines().map(RAN::matcher).filter(Matcher::matches).map(ran -> ran.group(1)
                        .contains(ran.group(2))))
                .as(log)
                .hasSize(5)
                .contains(true);
        assertThat(stage.stage(
                                dir,
                                "again",
                                Stream.concat(SWEEP.stream(), Stream.of(cluster))
                                        .toArray(String[]::new))
                        .waitFor())
                .isZero();
        assertThat(err(dir, "again")).contains("reused").doesNotContain("starting at");
        assertThat(Installed.content(dir)).isEqualTo(expected);
    }

    private static String logs(Path dir) throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(dir.resolve("tmp/.cache/spark"))) {
            for (Path file :
                    files.filter(one -> one.toString().endsWith(".log")).toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }

    @Test
    void runsTheSimulationsOfASearchOnWorkers() throws Exception {
        String[] search = {
            "vidur_sim",
            "-m",
            "sweeper=capacity",
            "sweeper.slo=[\"ttft_p99_ms<=300\"]",
            "sweeper.tolerance=0.2",
            "scheduler=vllm,sarathi",
            "cluster.tensor_parallel_size=1,3",
            "model=llama3_8b",
            "workload.num_requests=60"
        };
        Path here = Files.createDirectories(scratch.resolve("here"));
        assertThat(stage.stage(here, "here", search).waitFor())
                .as(err(here, "here"))
                .isZero();
        Path there = Files.createDirectories(scratch.resolve("there"));
        String[] words = Stream.concat(Stream.of(search), Stream.of("launcher=spark", "launcher.master=\"local[2]\""))
                .toArray(String[]::new);
        assertThat(stage.stage(there, "there", words).waitFor())
                .as(err(there, "there"))
                .isZero();
        assertThat(err(there, "there")).contains("is up at local[2]").contains("refused");
        assertThat(there.resolve("there.out")).hasSameTextualContentAs(here.resolve("here.out"));
        Map<String, String> found = Installed.content(there);
        found.keySet().removeIf(name -> !name.startsWith("sweeps/"));
        Map<String, String> expected = Installed.content(here);
        expected.keySet().removeIf(name -> !name.startsWith("sweeps/"));
        assertThat(found).isEqualTo(expected).hasSizeGreaterThan(3);
    }

    @Test
    void reportsAnUnreachableMasterAtOnce() throws Exception {
        Path dir = Files.createDirectories(scratch.resolve("nobody"));
        String[] words = Stream.concat(
                        SWEEP.stream(), Stream.of("launcher=spark", "launcher.master=spark://127.0.0.1:1"))
                .toArray(String[]::new);
        assertThat(stage.stage(dir, "nobody", words).waitFor()).isEqualTo(2);
        assertThat(err(dir, "nobody")).contains("no Spark master responds at 127.0.0.1:1");
    }
}
