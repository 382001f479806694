package dev.stagesim.feature.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.feature.cluster.ClusterSimSettings;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Stragglers;
import dev.stagesim.feature.cluster.instance.BinnedTimeSeries;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.RandomChoice;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.router.SessionHash;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares a separate simulation per instance with one simulation of all instances. */
final class IndependentInstancesTest {
    private static final RouterSettings IN_TURN = new RoundRobin.Settings();

    private static ServingClusterSettings cluster(Map<String, Pool> pools, RouterSettings router) {
        return Clusters.cluster(pools, router, Optional.empty(), Clusters.transfer(1, 0));
    }

    private static Pool pool(int replicas, String engine, double memory) {
        return Clusters.pool(PoolRole.BOTH, replicas, engine, memory, 64);
    }

    static Stream<Arguments> clusters() {
        return Stream.of(IN_TURN, new RandomChoice.Settings(7), new SessionHash.Settings(16))
                .flatMap(router -> Stream.of(
                        // Ample memory, scarce memory, both engines, unequal pools.
                        Arguments.of(router, Map.of("all", pool(5, "vllm_v1", 0.9)), 40.0, 0),
                        Arguments.of(router, Map.of("all", pool(3, "vllm_v1", 0.211)), 25.0, 4),
                        Arguments.of(router, Map.of("all", pool(4, "sglang", 0.2)), 30.0, 4),
                        Arguments.of(
                                router, Map.of("a", pool(2, "vllm_v1", 0.25), "b", pool(3, "sglang", 0.9)), 30.0, 9)));
    }

    @ParameterizedTest
    @MethodSource("clusters")
    void matchesTheJointSimulation(RouterSettings router, Map<String, Pool> pools, double perSecond, int groups) {
        ServingClusterSettings cluster = Clusters.with(
                cluster(pools, router), Optional.empty(), Optional.empty(), Optional.of(new Stragglers(0.4, 1.5, 3)));
        RequestTrace trace = Clusters.requests(250, perSecond, groups, 11);
        ClusterSimSettings settings = Clusters.settings(cluster);
        List<PoolPlan> plans = PoolPlans.of(settings, 4096);
        assertThat(IndependentInstances.isPossible(cluster, plans, trace, RoutingPolicyOverride.NONE))
                .isTrue();
        ClusterFigures one = Clusters.run(settings, trace);
        ClusterSim sim = ClusterSim.create(cluster, plans, trace, RoutingPolicyOverride.NONE);
        sim.run();
        assertEqual(new ClusterFigures(sim, plans, trace, cluster), one);
    }

    private static void assertEqual(ClusterFigures apart, ClusterFigures together) {
        assertThat(apart.seconds).isEqualTo(together.seconds);
        assertThat(arrays(apart.timeline)).isDeepEqualTo(arrays(together.timeline));
        assertThat(apart.all()).isEqualTo(together.all());
        for (int i = 0; i < apart.instances.size(); i++) {
            Instance its = apart.instances.get(i);
            Instance other = together.instances.get(i);
            assertThat(List.of(its.number, its.requests, its.preemptions, its.queriedTokens, its.hits, its.tokens))
                    .isEqualTo(List.of(
                            other.number,
                            other.requests,
                            other.preemptions,
                            other.queriedTokens,
                            other.hits,
                            other.tokens));
            assertThat(List.of(its.busy, its.peakKvUsage, its.memoryWaitSeconds, its.blocks, its.adapterLoads()))
                    .isEqualTo(List.of(
                            other.busy,
                            other.peakKvUsage,
                            other.memoryWaitSeconds,
                            other.blocks,
                            other.adapterLoads()));
            assertThat(apart.sim.fleet().billed(its))
                    .isEqualTo(together.sim.fleet().billed(other));
        }
        assertEqual(apart.sim.series(), together.sim.series(), apart.pools.size());
    }

    private static Object[][] arrays(RequestTimeline timeline) {
        return new Object[][] {
            {
                timeline.first,
                timeline.second,
                timeline.planned,
                timeline.isSplit,
                timeline.outcome,
                timeline.stage,
                timeline.attempts
            },
            {
                timeline.routed,
                timeline.lost,
                timeline.tier,
                timeline.tierTokens,
                timeline.arrived,
                timeline.entered,
                timeline.handed
            },
            {
                timeline.started,
                timeline.resumed,
                timeline.firstToken,
                timeline.moving,
                timeline.moved,
                timeline.completed,
                timeline.ended
            },
            {
                timeline.hits,
                timeline.decodeHits,
                timeline.transferred,
                timeline.preemptions,
                timeline.evicted,
                timeline.interferenceSeconds
            }
        };
    }

    /** Sums over instances are computed in a different order. */
    private static void assertEqual(BinnedTimeSeries apart, BinnedTimeSeries together, int pools) {
        assertThat(apart.size()).isEqualTo(together.size());
        assertThat(apart.width()).isEqualTo(together.width());
        for (int function = 0; function <= pools * Instance.SIGNALS_PER_POOL; function++) {
            for (int bin = 0; bin < apart.size(); bin++) {
                double mean = together.mean(function, bin);
                assertThat(apart.mean(function, bin)).isEqualTo(mean, within(1e-12 * Math.max(1, mean)));
            }
        }
    }

    @Test
    void simulatesDependentInstancesJointly() {
        Map<String, Pool> pools = Map.of("all", Clusters.pool(PoolRole.BOTH, 2));
        RequestTrace trace = Clusters.requests(5, 1, 0, 1);
        assertThat(isPossible(cluster(pools, new LeastOutstanding.Settings()), trace))
                .isFalse();
        assertThat(isPossible(cluster(pools, IN_TURN), trace)).isTrue();
        assertThat(isPossible(cluster(pools, IN_TURN), trace.labelled(request -> 0, request -> 0)))
                .isFalse();
        Map<String, Pool> split =
                Map.of("p", Clusters.pool(PoolRole.PREFILL, 1), "d", Clusters.pool(PoolRole.DECODE, 1));
        assertThat(isPossible(cluster(split, IN_TURN), Clusters.requests(5, 1, 0, 1)))
                .isFalse();
        Map<String, Pool> retaining = Map.of("all", Clusters.retaining(Clusters.pool(PoolRole.BOTH, 2), 60));
        assertThat(IndependentInstances.isPossible(
                        cluster(retaining, IN_TURN),
                        PoolPlans.of(Clusters.settings(cluster(retaining, IN_TURN)), 4096),
                        Clusters.requests(5, 1, 0, 1),
                        RoutingPolicyOverride.NONE))
                .isFalse();
    }

    private static boolean isPossible(ServingClusterSettings cluster, RequestTrace trace) {
        return IndependentInstances.isPossible(
                cluster, PoolPlans.of(Clusters.settings(cluster), 4096), trace, RoutingPolicyOverride.NONE);
    }
}
