package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.stagesim.ChildJava;
import dev.stagesim.cli.console.Home;
import java.io.BufferedReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys at their bounds and beyond give a run or one error, and never an overflow. */
@Tag("acceptance")
final class KeyBoundsTest {
    private static final int MAX = 1_000_000;
    private static final Map<String, String> KEYS = Map.of(
            "scheduler=vllm", "scheduler.batch_size_cap",
            "scheduler=sarathi", "scheduler.batch_size_cap",
            "scheduler=orca", "scheduler.batch_size_cap",
            "engine=vllm_v1", "scheduler.max_num_seqs",
            "engine=sglang", "scheduler.max_running_requests");

    /**
     * One command in this number runs by default, and one in LONG_STRIDE in campaigns. All commands together take
     * hours.
     */
    private static final int STRIDE = 400;

    private static final int LONG_STRIDE = Integer.getInteger("stagesim.bounds.every", 100);

    /** Far above the time of any command at a bound, also on a slow machine. */
    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    @TempDir
    private Path dir;

    @Test
    void servesOrRejectsAnyBatchSize() throws Exception {
        List<String> lines = new ArrayList<>();
        KEYS.forEach((scheduler, key) -> {
            for (int value : new int[] {1, MAX, MAX + 1, 1_500_000_000, Integer.MAX_VALUE}) {
                lines.add("vidur_sim workload.num_requests=3 " + scheduler + " " + key + "=" + value);
            }
        });
        assertThat(ends(lines)).contains("from 1 to " + MAX);
    }

    /** Values that once caused an overflow, a hang or an out-of-memory error. */
    @Test
    void rejectsExcessiveValues() throws Exception {
        Map<String, String> refused = new LinkedHashMap<>();
        refused.put("plan hardware.visible_mem_gib=10000000 hardware.mem_gb=10000000", "KV blocks to an engine");
        refused.put("plan limits.events=20000", "plan: is expected to take up to");
        refused.put("cluster_sim limits.events=1000", "cluster_sim: is expected to take up to");
        refused.put("astra_sim limits.events=10", "56 messages, once per class of equivalent NPUs");
        refused.put(
                "astra_sim network=dragonfly_72 network.topology.npus=1000000000", "links between switches, in all");
        refused.put(
                "vidur_sim engine=vllm_v1 scheduler.num_gpu_blocks_override=1000000000",
                "scheduler.num_gpu_blocks_override: expected an integer from 2 to 10000000");
        refused.put(
                "vidur_sim engine=vllm_v1 scheduler.max_num_batched_tokens=4000000",
                "lower scheduler.max_num_batched_tokens or scheduler.max_num_seqs");
        refused.put(
                "workload workload.sharing.kind=agents workload.sharing.tool_time_s=1e9 workload.sharing.calls=1000 workload.max_tokens=1000000",
                "more than 290 years");
        refused.put("workload workload=mnk_transformer workload.batch=1000000000", "above 2^31 - 1");
        assertThat(ends(List.copyOf(refused.keySet()))).contains(refused.values());
    }

    @Test
    void runsOrRejectsSomeKeysAtTheirBounds() throws Exception {
        ends(each(STRIDE, BoundCommands.all()));
    }

    private static List<String> each(int stride, List<String> all) {
        return IntStream.range(0, all.size())
                .filter(i -> i % stride == 0)
                .mapToObj(all::get)
                .toList();
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("dev.stagesim.cli.BoundCommands#stages")
    void runsOrRejectsMoreKeysAtTheirBounds(String stage) throws Exception {
        List<String> lines = BoundCommands.of(stage);
        assertThat(lines).hasSizeGreaterThan(5);
        assertThat(ends(each(LONG_STRIDE, lines))).doesNotContain("Infinity", " NaN", "∞", " -9,223", " -9.223e");
    }

    /** Runs commands and returns their output. None may end with an internal error, out of memory, or not at all. */
    private String ends(List<String> lines) throws Exception {
        List<String> command = ChildJava.command(
                CommandServer.class,
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-Dstagesim.home=" + Home.fromEnvironment().dir());
        Path err = dir.resolve("err");
        Process process = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectError(err.toFile())
                .start();
        try (Writer to = process.outputWriter(StandardCharsets.UTF_8);
                BufferedReader from = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line : lines) {
                to.write(line.replace(' ', '\t') + "\n");
                to.flush();
                String end = assertTimeoutPreemptively(TIMEOUT, from::readLine, line);
                assertThat(end)
                        .as(line + ": " + Files.readString(err))
                        .isIn(CommandServer.END + 0, CommandServer.END + 2, CommandServer.END + 3);
            }
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(err);
    }
}
