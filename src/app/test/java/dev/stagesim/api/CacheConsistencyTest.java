package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All stages that simulate an engine give its KV cache the same memory. */
final class CacheConsistencyTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final Pattern BLOCKS = Pattern.compile("\"num_blocks\": (\\d+)");

    @TempDir
    private Path work;

    private Path run(String stage, String model, String device, String... overrides) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "model=" + model,
                "hardware=" + device,
                "workload.num_requests=100",
                "workload.lengths.kind=fixed",
                "workload.lengths.prefill_tokens=500",
                "workload.lengths.decode_tokens=140"));
        all.addAll(List.of(overrides));
        return Stagesim.open(HOME, work).run(stage, all.toArray(String[]::new)).dir();
    }

    /** Returns the cache size of the first row that contains a word. */
    private static String tokens(Path table, String word) throws IOException {
        List<String> lines = Files.readAllLines(table);
        List<String> names = List.of(lines.get(0).split(","));
        String row = lines.stream()
                .filter(line -> line.contains("," + word + ","))
                .findFirst()
                .orElseThrow();
        return row.replaceAll("\"[^\"]*\"", "").split(",", -1)[names.indexOf("kv_tokens")];
    }

    @ParameterizedTest
    @CsvSource({"llama3_1_8b, h100, vllm_v1, 1", "llama3_1_8b, l40s, sglang, 1", "llama3_70b, h100, vllm_v1, 4"})
    void allocatesTheSameTokensInEveryStage(String model, String device, String engine, int tensor) throws IOException {
        boolean isVllm = engine.equals("vllm_v1");
        Path alone = run(
                "vidur_sim",
                model,
                device,
                "engine=" + engine,
                "cluster.tensor_parallel_size=" + tensor,
                "scheduler." + (isVllm ? "gpu_memory_utilization" : "mem_fraction_static") + "=0.8",
                "scheduler." + (isVllm ? "max_num_seqs" : "max_running_requests") + "=64",
                "scheduler." + (isVllm ? "max_num_batched_tokens" : "chunked_prefill_size") + "=2048");
        Matcher blocks = BLOCKS.matcher(Files.readString(alone.resolve("engine.json")));
        assertThat(blocks.find()).isTrue();
        String tokens = String.valueOf(Long.parseLong(blocks.group(1)) * (isVllm ? 16 : 1));
        Path cluster = run(
                "cluster_sim",
                model,
                device,
                "cluster=round_robin_4",
                "cluster.pools.all.engine=" + engine,
                "cluster.pools.all.tp=" + tensor,
                "cluster.pools.all.max_num_seqs=64",
                "cluster.pools.all.max_num_batched_tokens=2048",
                "cluster.pools.all.memory_utilization=0.8");
        assertThat(tokens(cluster.resolve("cluster_instances.csv"), "all")).isEqualTo(tokens);
        Path plan = run(
                "plan",
                model,
                device,
                "requests=100",
                "load=1",
                "slo='ttft_p99_ms<1e6'",
                "memory_utilization=0.8",
                "search.tp=[" + tensor + "]",
                "search.weights=[bf16]",
                "search.kv_cache=[bf16]",
                "search.max_num_seqs=[64]",
                "search.max_num_batched_tokens=[2048]");
        assertThat(tokens(plan.resolve("plan_candidates.csv"), engine)).isEqualTo(tokens);
    }
}
