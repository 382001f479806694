package dev.stagesim.feature.cluster.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.feature.cluster.ClusterSimSettings;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.experts.ExpertLoad;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.feature.cluster.experts.SequentialPlacement;
import dev.stagesim.feature.cluster.experts.ZipfLoad;
import dev.stagesim.feature.cluster.gateway.AdmitAll;
import dev.stagesim.feature.cluster.gateway.Fifo;
import dev.stagesim.feature.cluster.gateway.GatewaySettings;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares instances that share experts and run steps in lockstep with the data-parallel engines of one simulation. */
final class LockstepGroupTest {
    private static final String MODEL = "qwen3_30b_a3b";

    private static ExpertSettings experts(int instances, boolean lockstep) {
        int redundant = (instances - 128 % instances)
                % instances; // The number of experts must be a multiple of the number of instances.
        ExpertLoad load = new ZipfLoad(0.8, Optional.empty(), 0.25, 42);
        return new ExpertSettings(instances, redundant, load, new SequentialPlacement(), Optional.empty(), lockstep);
    }

    private static Pool pool(PoolRole role, int replicas, int instances, boolean lockstep) {
        return pool("vllm_v1", role, replicas, instances, lockstep);
    }

    private static Pool pool(String engine, PoolRole role, int replicas, int instances, boolean lockstep) {
        return Clusters.sharing(Clusters.pool(role, replicas, engine, 0.9, 16), experts(instances, lockstep));
    }

    private static ClusterSimSettings settings(Map<String, Pool> pools, RouterSettings router) {
        ServingClusterSettings cluster = Clusters.cluster(pools, router, Optional.empty(), Clusters.transfer(50, 50));
        return Clusters.settings(cluster, MODEL, "h100");
    }

    /** Prompts of one length, so that the API server keeps their order, with bursts and pauses. */
    private static RequestTrace bursts(int size, long seed) {
        RandomStream random = RandomStream.of(seed, "bursts");
        double[] arrivals = new double[size];
        int[] prompts = new int[size];
        int[] outputs = new int[size];
        double at = 0;
        for (int i = 0; i < size; i++) {
            at += random.below(12) == 0 ? 4 * random.nextDouble() : 0.02 * random.nextDouble();
            arrivals[i] = at;
            prompts[i] = 700;
            outputs[i] = 1 + (int) random.below(80);
        }
        return new RequestTrace(
                arrivals, prompts, outputs, request -> new Tokens.Builder().then(SharedTokens.promptOf(request)));
    }

    /** Routes requests round robin to one or two groups. Their times equal the waves of the kernel. */
    @ParameterizedTest
    @CsvSource({
        "vllm_v1, 4, 4, 1",
        "vllm_v1, 4, 4, 2",
        "vllm_v1, 8, 4, 3",
        "vllm_v1, 2, 2, 4",
        "vllm_v1, 6, 3, 5",
        "sglang, 4, 4, 1",
        "sglang, 6, 3, 5"
    })
    void matchesDataParallelEnginesOfOneSimulation(String engine, int replicas, int instances, long seed) {
        RequestTrace trace = bursts(150, seed);
        ClusterSimSettings settings = settings(
                Map.of("all", pool(engine, PoolRole.BOTH, replicas, instances, true)), new RoundRobin.Settings());
        ClusterFigures figures = Clusters.run(settings, trace);
        PoolPlan plan = figures.pools.get(0);
        ClusterSpec one = plan.spec().cluster().together(instances);
        ClusterSpec all = KeyRecord.with(
                ClusterSpec.class, one, Map.of("replicas", plan.replicas(), "seed", 0, "prefillInterval", 1));
        ExpertGroup group = new ExpertGroup(plan, plan.experts().orElseThrow());
        ServingOutcome alone = ServingSimulator.run(plan.spec().with(all), trace, group.times());
        for (int i = 0; i < trace.size(); i++) {
            assertThat(figures.timeline.completed[i])
                    .as("request %d", i)
                    .isCloseTo(alone.states().completedAt(i), within(1e-9));
            assertThat(figures.timeline.firstToken[i]).isCloseTo(alone.states().prefillCompletedAt(i), within(1e-9));
        }
        assertThat(figures.sim.experts().get(0).waves().waves())
                .isEqualTo(alone.waves().orElseThrow().waves())
                .isGreaterThan(1);
        assertThat(figures.all()).containsEntry("all_dummy_steps", (double)
                alone.waves().orElseThrow().dummies());
    }

    @Test
    void runsAtTheSpeedOfTheSlowestInstance() {
        RequestTrace trace = Clusters.requests(200, 12, 0, 3);
        Map<String, Double> apart = figures(trace, false);
        Map<String, Double> together = figures(trace, true);
        assertThat(together.get("tpot_p50_ms")).isGreaterThan(apart.get("tpot_p50_ms"));
        assertThat(together.get("all_step_wait_share")).isBetween(0.01, 0.9);
        assertThat(apart).doesNotContainKey("all_step_wait_share");
    }

    private static Map<String, Double> figures(RequestTrace trace, boolean lockstep) {
        return Clusters.run(
                        settings(Map.of("all", pool(PoolRole.BOTH, 4, 4, lockstep)), new LeastOutstanding.Settings()),
                        trace)
                .all();
    }

    /** Both pools form groups, with cancelled requests and slow instances. The simulation must terminate. */
    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "sglang"})
    void runsPrefillAndDecodeInSeparateGroups(String engine) {
        ClusterSimSettings settings = settings(
                Map.of("p", pool(engine, PoolRole.PREFILL, 4, 2, true), "d", pool(engine, PoolRole.DECODE, 4, 4, true)),
                new LeastOutstanding.Settings());
        ServingClusterSettings slow = Clusters.with(
                settings.cluster(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(new ServingClusterSettings.Stragglers(0.4, 1.5, 3)));
        GatewaySettings.Tenant hasty =
                new GatewaySettings.Tenant(1, 0, 1, Optional.of(2.0), Optional.of(3.0), 0.1, 0.5);
        GatewaySettings front = new GatewaySettings(
                new AdmitAll.Settings(),
                new Fifo.Settings(),
                Optional.empty(),
                Optional.empty(),
                Map.of("t", hasty),
                3);
        ServingClusterSettings cluster = Clusters.withGateway(slow, Optional.of(front), Optional.empty());
        RequestTrace trace = Clusters.requests(300, 30, 0, 5);
        ClusterFigures figures = Clusters.run(Clusters.settings(cluster, MODEL, "h100"), trace);
        assertThat(figures.count(RequestTimeline.Outcome.COMPLETED)).isBetween(100L, 299L);
        assertThat(figures.instances)
                .allSatisfy(one -> assertThat(one.queuedTokens).isZero());
        assertThat(figures.instances.stream()
                        .map(one -> one.slowness)
                        .distinct()
                        .count())
                .isEqualTo(2);
        assertThat(figures.all()).containsKeys("p_waves", "d_waves");
        assertThat(figures.handed).isPositive();
    }

    @Test
    void rejectsUnsupportedCombinations() {
        ClusterSimSettings alone = settings(Map.of("all", pool(PoolRole.BOTH, 2, 1, true)), new RoundRobin.Settings());
        assertThat(PoolPlans.problems(alone)).singleElement().satisfies(problem -> assertThat(problem.where())
                .isEqualTo("cluster.pools.all.experts.lockstep"));
        ClusterSimSettings together =
                settings(Map.of("all", pool(PoolRole.BOTH, 4, 4, true)), new RoundRobin.Settings());
        ServingClusterSettings failing = Clusters.with(
                together.cluster(),
                Optional.empty(),
                Optional.of(new FailureSettings.Random(1, 2, 3, 4)),
                Optional.empty());
        assertThat(PoolPlans.problems(Clusters.settings(failing, MODEL, "h100")))
                .singleElement()
                .satisfies(problem -> assertThat(problem.where()).isEqualTo("cluster.failures"));
    }
}
