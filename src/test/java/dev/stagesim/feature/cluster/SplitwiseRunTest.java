package dev.stagesim.feature.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.feature.cluster.ClusterSimSettings.Cluster;
import dev.stagesim.feature.cluster.ClusterSimSettings.Pool;
import dev.stagesim.feature.cluster.ClusterSimSettings.Role;
import dev.stagesim.feature.cluster.SplitwiseCompat.Scheduler;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.model.CardFiles;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Precision;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.cluster.SplitwiseTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Splitwise's simulator behind the settings of a cluster, beside what it recorded itself. */
final class SplitwiseRunTest {
    private static final Path CASES = Path.of("tests-data/splitwise/cases");
    private static final Path PERF = Path.of("tests-data/splitwise/perf.csv");
    private static final ModelCard MODEL = CardFiles.model("llama2_70b");

    static List<Path> cases() throws IOException {
        try (Stream<Path> folders = Files.list(CASES)) {
            return folders.sorted().toList();
        }
    }

    private static SplitwiseCompat compat(Scheduler scheduler, double bandwidth, Optional<Path> perf) {
        return new SplitwiseCompat(
                scheduler, 512, 2048, Optional.of(4), bandwidth, 8192, perf, Optional.empty(), Optional.of(135.0));
    }

    private static SplitwiseCompat compat(JsonAt config) {
        String name = config.get("scheduler").asString();
        double bandwidth =
                config.find("transfer_bandwidth").map(JsonAt::asDouble).orElse(200.0);
        boolean isFast = name.startsWith("overlap_") || name.equals("kv_token_jsq");
        String rule = name.replace("overlap_", "").replace("kv_", "");
        return new SplitwiseCompat(
                Scheduler.valueOf(rule.toUpperCase(Locale.ROOT)),
                config.get("max_batch_size").asInt(),
                config.get("max_batch_tokens").asInt(),
                config.get("instance_type").asString().equals("ORCA")
                        ? Optional.empty()
                        : Optional.of(config.get("max_preemptions").asInt()),
                isFast ? 10 * bandwidth : bandwidth,
                config.find("prompt_max_pending").map(JsonAt::asLong).orElse(8192L),
                Optional.of(PERF),
                Optional.of("llama2-70b"),
                Optional.of(135.0));
    }

    /** Pools of a case: its servers in their order, those of prompts first. */
    private static List<PoolPlan> pools(JsonAt config) {
        int older = config.get("servers_a100").asInt();
        int newer = config.get("servers_h100").asInt();
        int prompts = config.get("prompt_servers").asInt();
        Map<String, Pool> pools = new LinkedHashMap<>();
        for (int i = 0; i < older + newer; i++) {
            Role role = prompts == 0 ? Role.BOTH : i < prompts ? Role.PREFILL : Role.DECODE;
            pools.put(
                    "p" + i,
                    Clusters.on(
                            Clusters.wide(role, 1, 8, Precision.BF16),
                            CardFiles.hardware(i < older ? "a100_sxm_80gb" : "h100")));
        }
        return PoolPlans.of(Clusters.settings(cluster(pools), "llama2_70b", "h100"), 4096);
    }

    private static Cluster cluster(Map<String, Pool> pools) {
        return Clusters.of(
                pools, new LeastOutstanding.Settings(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static RequestTrace trace(List<JsonAt> rows) {
        double[][] all = rows.stream().map(JsonAt::asDoubles).toArray(double[][]::new);
        double[] arrivals = new double[all.length];
        int[] prompts = new int[all.length];
        int[] outputs = new int[all.length];
        for (int i = 0; i < all.length; i++) {
            arrivals[i] = all[i][0];
            prompts[i] = (int) all[i][1];
            outputs[i] = (int) all[i][2];
        }
        return new RequestTrace(arrivals, prompts, outputs);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void requestsTakeTheTimesThatSplitwiseRecorded(Path folder) throws IOException {
        JsonAt given = Json.read(folder.resolve("case.json"));
        JsonAt config = given.get("config");
        SplitwiseRun run = new SplitwiseRun(
                compat(config),
                MODEL,
                pools(config),
                trace(given.get("requests").items()));
        List<JsonAt> expected =
                Json.read(folder.resolve("expected.json")).get("requests").items();
        assertThat(expected).hasSameSizeAs(run.requests()).isNotEmpty();
        for (int i = 0; i < expected.size(); i++) {
            SplitwiseTask.Request request = run.requests().get(i);
            isRecorded(
                    request.prompt().times()[2] - request.arrival(),
                    expected.get(i).get("ttft").asDouble());
            isRecorded(
                    request.end() - request.arrival(),
                    expected.get(i).get("e2e").asDouble());
        }
        assertThat(run.figures()).containsKeys("ttft_p99_ms", "e2e_p50_ms", "p0_busy_share");
    }

    /** Splitwise records 0 for what never happened. */
    private static void isRecorded(double actual, double recorded) {
        if (recorded == 0) {
            assertThat(actual).isNaN();
        } else {
            assertThat(actual).isCloseTo(recorded, within(1e-9 * recorded));
        }
    }

    @Test
    void withoutATableStepsAreThoseOfTheStepModel() throws IOException {
        Map<String, Pool> both = Map.of("all", Clusters.wide(Role.BOTH, 1, 8, Precision.BF16));
        List<PoolPlan> pools = PoolPlans.of(Clusters.settings(cluster(both), "llama2_70b", "h100"), 4096);
        RequestTrace one = new RequestTrace(new double[] {1}, new int[] {1000}, new int[] {11});
        SplitwiseRun run = new SplitwiseRun(compat(Scheduler.JSQ, 200, Optional.empty()), MODEL, pools, one);
        Profile profile = Profile.of(pools.get(0));
        double prompt = profile.promptSeconds(1000);
        assertThat(run.figures().get("ttft_p50_ms")).isCloseTo(1e3 * prompt, within(1e-9));
        assertThat(run.figures().get("e2e_p50_ms"))
                .isCloseTo(1e3 * (prompt + 10 * profile.gapSeconds(1, 1006)), within(1e-9));
    }

    @Test
    void whatItDoesNotKnowIsRefused() {
        Map<String, Pool> both = Map.of("all", Clusters.wide(Role.BOTH, 1, 8, Precision.BF16));
        assertThat(compat(Scheduler.MIXED_POOL, 200, Optional.empty()).problems(cluster(both)))
                .extracting(Problem::what)
                .containsExactly("is mixed_pool, which needs pools of prompts and of tokens");
        Cluster scraped = Clusters.scraped(cluster(both), new Signals.Settings(50, 0));
        assertThat(compat(Scheduler.JSQ, 200, Optional.empty()).problems(scraped))
                .extracting(Problem::what)
                .containsExactly("is not read with compat.kind=splitwise");
        List<PoolPlan> narrow = PoolPlans.of(
                Clusters.settings(
                        cluster(Map.of("all", Clusters.wide(Role.BOTH, 1, 4, Precision.BF16))), "llama2_70b", "h100"),
                4096);
        RequestTrace one = new RequestTrace(new double[] {1}, new int[] {10}, new int[] {2});
        assertThatThrownBy(() -> new SplitwiseRun(compat(Scheduler.JSQ, 200, Optional.of(PERF)), MODEL, narrow, one))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("has no times of h100 with 4 devices");
    }
}
