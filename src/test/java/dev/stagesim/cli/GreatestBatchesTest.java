package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import java.io.BufferedReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bounds of batches up to the greatest that is taken, and beyond: a run or one error, never a number that wraps around. */
final class GreatestBatchesTest {
    private static final int MOST = 1_000_000;
    private static final Map<String, String> KEYS = Map.of(
            "scheduler=vllm", "scheduler.batch_size_cap",
            "scheduler=sarathi", "scheduler.batch_size_cap",
            "scheduler=orca", "scheduler.batch_size_cap",
            "engine=vllm_v1", "scheduler.max_num_seqs",
            "engine=sglang", "scheduler.max_running_requests");

    @TempDir
    private Path dir;

    @Test
    void aBatchWithoutBoundIsServedOrRefused() throws Exception {
        List<String> command = ChildJava.command(
                CommandServer.class,
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-Dstagesim.home=" + Home.fromEnvironment().dir());
        Process process = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectError(dir.resolve("err").toFile())
                .start();
        try (Writer to = process.outputWriter(StandardCharsets.UTF_8);
                BufferedReader from = process.inputReader(StandardCharsets.UTF_8)) {
            for (String scheduler : KEYS.keySet()) {
                for (int most : new int[] {1, MOST, MOST + 1, 1_500_000_000, Integer.MAX_VALUE}) {
                    String word = KEYS.get(scheduler) + "=" + most;
                    to.write(String.join("\t", "vidur_sim", scheduler, word, "workload.num_requests=3") + "\n");
                    to.flush();
                    assertThat(from.readLine())
                            .as(scheduler + " " + word + ": " + Files.readString(dir.resolve("err")))
                            .isIn(CommandServer.END + (most > MOST ? 2 : 0), CommandServer.END + 2);
                }
            }
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(dir.resolve("err")))
                .contains("from 1 to " + MOST)
                .doesNotContain("internal error", "incomplete program");
    }
}
