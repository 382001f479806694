package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import dev.stagesim.cli.console.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs a thousand jobs with SIGKILL of whole processes in between, in one process and in shards. The results are the
 * same bytes.
 */
final class KilledSweepTest {
    private static final int JOBS = 1000;
    private static final int PARTS = 4;

    @TempDir
    private Path scratch;

    @Test
    @Tag("long")
    void writesTheSameBytesWithBothLaunchersWhenKilled() throws Exception {
        Path whole = Files.createDirectories(scratch.resolve("whole"));
        assertThat(sweep(whole).waitFor()).isZero();
        Map<String, String> expected = content(whole);
        assertThat(expected).hasSizeGreaterThan(4 * JOBS);

        Random random = new Random(1);
        Path killed = Files.createDirectories(scratch.resolve("killed"));
        for (int finished : new int[] {90, 400, 800}) {
            kill(sweep(killed), killed, finished + random.nextInt(100));
        }
        assertThat(sweep(killed).waitFor()).isZero();
        assertThat(content(killed)).isEqualTo(expected);

        List<String> merge = new ArrayList<>(List.of("sweep", "merge"));
        for (int i = 0; i < PARTS; i++) {
            Path part = Files.createDirectories(scratch.resolve("part" + i));
            String shard = "shard=" + i + "/" + PARTS;
            kill(sweep(part, shard), part, 20 + random.nextInt(180));
            assertThat(sweep(part, shard).waitFor()).isZero();
            merge.add(part.toString());
        }
        Path joined = Files.createDirectories(scratch.resolve("joined"));
        assertThat(start(joined, merge).waitFor()).isZero();
        assertThat(content(joined)).isEqualTo(expected);
    }

    private static Process sweep(Path dir, String... more) throws IOException {
        List<String> words = new ArrayList<>(
                List.of("workload", "-m", "workload.num_requests=5", "workload.seed=range(0," + JOBS + ")"));
        words.addAll(List.of(more));
        return start(dir, words);
    }

    private static Process start(Path dir, List<String> words) throws IOException {
        List<String> command = ChildJava.command(
                Main.class,
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-Dstagesim.home=" + Home.fromEnvironment().dir());
        command.addAll(words);
        return new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(dir.resolve("words.txt").toFile())
                .start();
    }

    private static void kill(Process process, Path dir, int finished) throws Exception {
        while (process.isAlive() && runs(dir) < finished) {
            Thread.onSpinWait();
            Thread.sleep(5);
        }
        assertThat(process.isAlive()).as("killed before its end").isTrue();
        process.destroyForcibly().waitFor();
        assertThat(runs(dir)).isLessThan(JOBS);
    }

    private static long runs(Path dir) throws IOException {
        Path folder = dir.resolve("tmp/workload");
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        try (Stream<Path> runs = Files.list(folder)) {
            return runs.filter(run -> !run.getFileName().toString().startsWith("."))
                    .count();
        }
    }

    /** Returns all artifacts and tables. {@code run_meta.json} is excluded because it contains times. */
    private static Map<String, String> content(Path dir) throws IOException {
        Map<String, String> content = new TreeMap<>();
        Path tmp = dir.resolve("tmp");
        try (Stream<Path> all = Files.walk(tmp)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = tmp.relativize(file).toString();
                boolean counts = !name.startsWith(".")
                        && !name.contains("/config/")
                        && !name.contains("/shards/")
                        && !name.contains("/.")
                        && !name.endsWith("run_meta.json");
                if (counts) {
                    content.put(name, Files.readString(file));
                }
            }
        }
        return content;
    }
}
