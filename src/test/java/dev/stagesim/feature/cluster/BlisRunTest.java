package dev.stagesim.feature.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.cluster.ClusterSimSettings.Cluster;
import dev.stagesim.feature.cluster.ClusterSimSettings.Pool;
import dev.stagesim.feature.cluster.ClusterSimSettings.Role;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.model.CardFiles;
import dev.stagesim.model.Problem;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.cluster.BlisConfig;
import dev.stagesim.sim.serving.cluster.BlisConfig.Admission;
import dev.stagesim.sim.serving.cluster.BlisConfig.Routing;
import dev.stagesim.sim.serving.cluster.BlisEngine;
import dev.stagesim.sim.serving.cluster.BlisRequest;
import dev.stagesim.sim.serving.request.Tokens;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** BLIS behind the settings of a cluster, beside what it recorded itself. */
final class BlisRunTest {
    private static final Path CASES = Path.of("tests-data/blis/cases");

    private static BlisCompat compat(JsonAt config) {
        return compat(
                LongStream.of(config.get("step_time").asLongs()).boxed().toList(),
                LongStream.of(config.get("queue_time").asLongs()).boxed().toList(),
                Optional.of(config.get("total_kv_blocks").asInt()),
                config.get("admission").asString(),
                new Routing(
                        config.get("routing").asString(),
                        0,
                        List.of(),
                        List.of(),
                        List.of(),
                        config.get("snapshot_refresh_us").asLong(),
                        0),
                config.get("pd_decider").asString(),
                config.get("pd_prefix_threshold").asInt(),
                config.get("pd_bandwidth_gb_per_s").asDouble());
    }

    private static BlisCompat compat(
            List<Long> step,
            List<Long> queue,
            Optional<Integer> blocks,
            String admission,
            Routing routing,
            String decider,
            int threshold,
            double gbs) {
        return new BlisCompat(
                step,
                queue,
                blocks,
                16,
                0,
                BlisEngine.Order.FCFS,
                false,
                new Admission(admission, 0, 1, 1, 10, 3, 5, 0.8, Map.of()),
                routing,
                Optional.empty(),
                decider,
                threshold,
                gbs,
                50,
                false);
    }

    private static Cluster cluster(int prompts, int outputs, int both) {
        Map<String, Pool> pools = new TreeMap<>();
        Map.of(Role.PREFILL, prompts, Role.DECODE, outputs, Role.BOTH, both).forEach((role, count) -> {
            if (count > 0) {
                pools.put(role.name(), Clusters.pool(role, count, "vllm_v1", 0.9, 256));
            }
        });
        return Clusters.of(
                pools, new LeastOutstanding.Settings(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static List<PoolPlan> plans(Cluster cluster) {
        return PoolPlans.of(Clusters.settings(cluster, "llama3_8b", "h100"), 4096);
    }

    private static Tokens tokens(JsonAt item) {
        Tokens.Builder all = new Tokens.Builder();
        for (JsonAt run : item.get("prompt").items()) {
            all.run(run.asLongs()[0], (int) run.asLongs()[1]);
        }
        return all.then(item.get("output").asLongs()[0]);
    }

    private static RequestTrace trace(List<JsonAt> rows) {
        double[] arrivals = rows.stream()
                .mapToDouble(row -> row.get("arrival_us").asLong() / 1e6)
                .toArray();
        int[] prompts = rows.stream()
                .mapToInt(row -> (int) row.get("prompt").items().stream()
                        .mapToLong(run -> run.asLongs()[1])
                        .sum())
                .toArray();
        int[] outputs = rows.stream()
                .mapToInt(row -> (int) row.get("output").asLongs()[1])
                .toArray();
        return new RequestTrace(arrivals, prompts, outputs, i -> tokens(rows.get(i)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"route_005", "pd_085", "admit_052"})
    void requestsTakeTheTimesThatBlisRecorded(String name) throws IOException {
        JsonAt given = Json.read(CASES.resolve(name).resolve("case.json"));
        JsonAt config = given.get("config");
        int prompts = config.get("prefill_instances").asInt();
        int outputs = config.get("decode_instances").asInt();
        List<PoolPlan> pools =
                plans(cluster(prompts, outputs, config.get("instances").asInt() - prompts - outputs));
        BlisConfig told = compat(config).config(CardFiles.model("llama3_8b"), pools);
        BlisRun run = new BlisRun(told, trace(given.get("requests").items()), pools);
        List<JsonAt> expected = Json.read(CASES.resolve(name).resolve("expected.json"))
                .get("requests")
                .items();
        List<BlisRequest> requests = run.outcome().requests();
        assertThat(requests).hasSameSizeAs(expected).isNotEmpty();
        for (int i = 0; i < expected.size(); i++) {
            assertThat(requests.get(i).ttft())
                    .isEqualTo(expected.get(i).find("ttft_us").map(JsonAt::asLong));
            assertThat(requests.get(i).e2e())
                    .isEqualTo(expected.get(i).find("e2e_us").map(JsonAt::asLong));
        }
        double done = expected.stream().filter(one -> one.has("e2e_us")).count();
        assertThat(run.figures())
                .containsEntry("requests_completed", done)
                .containsEntry("requests_refused", name.startsWith("admit") ? expected.size() : 0.0);
    }

    @Test
    void stepsAreNearThoseOfTheStepModel() {
        List<PoolPlan> pools = plans(cluster(0, 0, 1));
        BlisCompat compat = compat(
                List.of(),
                List.of(0L, 0L, 0L),
                Optional.empty(),
                "always_admit",
                new Routing("round_robin", 0, List.of(), List.of(), List.of(), 0, 0),
                "always",
                0,
                25);
        BlisEngine engine = compat.config(CardFiles.model("llama3_8b"), pools).engine();
        Profile profile = Profile.of(pools.get(0));
        double gap = profile.gapSeconds(32, 1536) * 1e6;
        long[] b = engine.stepTime();
        assertThat((double) (b[0] + 32 * b[2] + b[3] * 32 * 1536 / 1024)).isBetween(0.9 * gap, 1.1 * gap);
        double prompt = profile.promptSeconds(1536) * 1e6;
        assertThat((double) (b[0] + 1536 * b[1])).isBetween(0.8 * prompt, 1.25 * prompt);
        assertThat(engine.blocks()).isEqualTo((int) (pools.get(0).kvTokens() / 16));
    }

    @Test
    void whoseTransferFindsNoRoomHasFailed() {
        Cluster cluster = cluster(1, 1, 0);
        BlisConfig told = compat(
                        List.of(4000L, 12L, 60L, 8L),
                        List.of(0L, 0L, 0L),
                        Optional.of(20),
                        "always_admit",
                        new Routing("round_robin", 0, List.of(), List.of(), List.of(), 0, 0),
                        "always",
                        0,
                        25)
                .config(CardFiles.model("llama3_8b"), plans(cluster));
        RequestTrace trace = new RequestTrace(new double[] {0, 0}, new int[] {200, 200}, new int[] {100, 100});
        BlisRun run = new BlisRun(told, trace, plans(cluster));
        assertThat(run.figures())
                .containsEntry("requests_completed", 1.0)
                .containsEntry("requests_failed", 1.0)
                .containsEntry("transfers_dropped", 1.0);
    }

    @Test
    void poolsOfUnequalInstancesAreRefused() {
        Map<String, Pool> pools = new TreeMap<>();
        pools.put("a", Clusters.pool(Role.PREFILL, 1));
        pools.put("b", Clusters.on(Clusters.pool(Role.DECODE, 1), CardFiles.hardware("a100")));
        BlisCompat compat = compat(
                List.of(),
                List.of(0L, 0L, 0L),
                Optional.empty(),
                "gaie_legacy",
                new Routing("round_robin", 0, List.of(), List.of(), List.of(), 0, 0),
                "always",
                0,
                25);
        Cluster cluster = Clusters.of(
                pools, new LeastOutstanding.Settings(), Optional.empty(), Optional.empty(), Optional.empty());
        assertThat(compat.problems(cluster))
                .extracting(Problem::where)
                .containsExactlyInAnyOrder("cluster.pools", "compat.admission.policy");
    }

    @Test
    void whatHasNoEffectIsRefused() {
        BlisCompat two = compat(
                List.of(1L, 2L),
                List.of(0L, 0L, 0L),
                Optional.empty(),
                "always_admit",
                new Routing("round_robin", 0, List.of(), List.of(), List.of(), 0, 0),
                "never",
                0,
                25);
        assertThat(two.problems(cluster(0, 0, 1)))
                .extracting(Problem::where)
                .containsExactlyInAnyOrder("compat.step_time", "compat.decider");
        assertThat(two.problems(cluster(1, 1, 0))).extracting(Problem::where).containsExactly("compat.step_time");
    }
}
