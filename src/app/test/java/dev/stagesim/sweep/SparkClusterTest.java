package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs a thousand jobs on a local Spark cluster that loses one worker and, twice, its client. */
@Tag("long")
class SparkClusterTest {
    private static final int JOBS = Integer.getInteger("stagesim.sweep.jobs", 1000);

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

    @Test
    void completesASweepWhenAWorkerAndTheClientDie() throws Exception {
        Path away = Files.createDirectories(scratch.resolve("away"));
        String master = spark.master();
        Process lost = spark.worker(master, "one");
        spark.worker(master, "two");
        String[] sweep = {
            "workload",
            "-m",
            "workload.seed=range(0," + JOBS + ")",
            "workload.num_requests=5",
            "launcher=spark",
            "launcher.master=" + master,
            "launcher.conf=[spark.executor.memory=512m]"
        };
        Random random = new Random(4);
        Process client = stage.stage(away, "first", sweep);
        await(client, away, "first", JOBS / 20 + random.nextInt(JOBS / 20));
        Installed.kill(lost);
        await(client, away, "first", JOBS / 4 + random.nextInt(JOBS / 10));
        Installed.kill(client);
        assertThat(Installed.runs(away, "workload")).isBetween(JOBS / 4L, JOBS - 1L);

        Process second = stage.stage(away, "second", sweep);
        await(second, away, "second", JOBS / 2 + random.nextInt(JOBS / 4));
        Installed.kill(second);

        Process again = stage.stage(away, "third", sweep);
        assertThat(again.waitFor())
                .as(Installed.output(away.resolve("third.err")))
                .isZero();
        assertThat(Files.readAllLines(away.resolve("third.out"))).hasSize(JOBS).doesNotHaveDuplicates();

        Path here = Files.createDirectories(scratch.resolve("here"));
        Process local = stage.stage(here, "local", Arrays.copyOf(sweep, 4));
        assertThat(local.waitFor())
                .as(Installed.output(here.resolve("local.err")))
                .isZero();
        assertThat(here.resolve("local.out")).hasSameBinaryContentAs(away.resolve("third.out"));
        assertThat(Installed.content(away)).hasSizeGreaterThan(3 * JOBS).isEqualTo(Installed.content(here));
    }

    private static void await(Process client, Path dir, String name, int runs) throws Exception {
        while (Installed.runs(dir, "workload") < runs) {
            assertThat(client.waitFor(50, TimeUnit.MILLISECONDS))
                    .as(Installed.output(dir.resolve(name + ".err")))
                    .isFalse();
        }
    }
}
