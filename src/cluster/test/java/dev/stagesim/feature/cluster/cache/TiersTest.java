package dev.stagesim.feature.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.cache.Tiers.Tier;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.report.LatencyBreakdown;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares lower cache tiers with simple lists and with worked examples. */
final class TiersTest {
    private static final Tier NONE = new Tier(1, 1, 0);

    private static ServingClusterSettings cluster(
            int replicas, double memory, RouterSettings router, Optional<Tiers> tiers) {
        ServingClusterSettings.Pool pool = Clusters.pool(PoolRole.BOTH, replicas, "vllm_v1", memory, 64);
        return Clusters.cluster(
                Map.of("all", tiers.map(set -> Clusters.tiered(pool, set)).orElse(pool)),
                router,
                Optional.empty(),
                Clusters.transfer(1, 0));
    }

    private static Tiers remote(double gb, double gbs, double us) {
        return new Tiers(Optional.empty(), Optional.empty(), Optional.of(new Tier(gb, gbs, us)), 0, Optional.empty());
    }

    private static Tiers host(double gb, double gbs) {
        return new Tiers(Optional.of(new Tier(gb, gbs, 50)), Optional.empty(), Optional.empty(), 0, Optional.empty());
    }

    @Test
    void evictsInOrderOfUse() {
        TierStore lower = new TierStore(7, null);
        TierStore upper = new TierStore(5, lower);
        List<Long> above = new ArrayList<>();
        List<Long> below = new ArrayList<>();
        RandomStream random = RandomStream.of(3, "keys");
        for (int i = 0; i < 2000; i++) {
            long key = random.below(20);
            lower.remove(key);
            upper.put(key, i, i);
            below.remove(key);
            above.remove(key);
            above.add(key);
            if (above.size() > 5) {
                below.add(above.remove(0));
            }
            if (below.size() > 7) {
                below.remove(0);
            }
            for (long one = 0; one < 20; one++) {
                assertThat(upper.has(one)).isEqualTo(above.contains(one));
                assertThat(lower.has(one)).isEqualTo(below.contains(one));
            }
        }
    }

    /** Compares with a linear search in a list of uses: the oldest block without retention is evicted first. */
    @Test
    void evictsRetainedBlocksLast() {
        TierStore store = new TierStore(6, null);
        List<Long> keys = new ArrayList<>();
        Map<Long, Double> until = new HashMap<>();
        RandomStream random = RandomStream.of(5, "retained");
        int kept = 0;
        for (int i = 0; i < 3000; i++) {
            long key = random.below(24);
            double end = random.below(3) == 0 ? i + 9 : i;
            store.put(key, i, end);
            keys.remove(key);
            keys.add(key);
            until.put(key, end);
            if (keys.size() > 6) {
                double now = i;
                long evicted = keys.stream()
                        .filter(one -> until.get(one) <= now)
                        .findFirst()
                        .orElse(keys.get(0));
                kept += evicted == keys.get(0) ? 0 : 1;
                keys.remove(evicted);
            }
            for (long one = 0; one < 24; one++) {
                assertThat(store.has(one)).as("%d after %d", one, i).isEqualTo(keys.contains(one));
            }
        }
        assertThat(kept).isGreaterThan(100);
        assertThat(store.size()).isEqualTo(6);
    }

    /** Conversations of two turns find their first turns again, although single requests fill the store in between. */
    @Test
    void findsRetainedBlocksOfAConversation() {
        int count = 30;
        double[] arrivals = new double[count];
        int[] prompts = new int[count];
        int[] outputs = new int[count];
        for (int i = 0; i < count; i++) {
            arrivals[i] = 4 * i;
            prompts[i] = i == count - 1 ? 2200 : 2000;
            outputs[i] = 2;
        }
        RequestTrace trace = new RequestTrace(
                arrivals, prompts, outputs, i -> Tokens.from((1L << 33) + (i == count - 1 ? 0 : 10_000L * i)));
        long[] read = new long[2];
        for (int i = 0; i < 2; i++) {
            Tiers tiers = new Tiers(
                    Optional.of(new Tier(1, 40, 50)), Optional.empty(), Optional.empty(), 200.0 * i, Optional.empty());
            ServingClusterSettings cluster = cluster(1, 0.211, new RoundRobin.Settings(), Optional.of(tiers));
            read[i] = Clusters.run(cluster, trace).timeline.tierTokens[count - 1];
        }
        assertThat(read[0]).isZero();
        assertThat(read[1]).isGreaterThan(1900);
    }

    @Test
    void retainsNothingForSingleRequests() {
        Tiers tiers =
                new Tiers(Optional.of(new Tier(1, 40, 50)), Optional.empty(), Optional.empty(), 5, Optional.empty());
        assertThatThrownBy(() -> Clusters.run(
                        cluster(1, 0.9, new RoundRobin.Settings(), Optional.of(tiers)), Clusters.requests(3, 1, 0, 9)))
                .hasMessageContaining("tiers.session_retention_s")
                .hasMessageContaining("no session");
    }

    /** Two prompts, each first on one of two instances and later on the other. */
    private static RequestTrace crossed() {
        return new RequestTrace(
                new double[] {0, 0.1, 10, 10.1, 20},
                new int[] {2000, 2000, 2000, 2000, 2000},
                new int[] {10, 10, 10, 10, 10},
                i -> Tokens.from((i == 0 || i == 3 ? 1L : 2L) << 40));
    }

    @Test
    void addsBytesAndLatencyOfARead() {
        ServingClusterSettings cluster = cluster(2, 0.9, new RoundRobin.Settings(), Optional.of(remote(100, 40, 700)));
        ClusterFigures figures = Clusters.run(cluster, crossed());
        // 124 whole blocks before the last token.
        double ns = 700_000 + 124 * 16 * 131_072.0 / 40;
        for (int i : new int[] {2, 3}) {
            assertThat(figures.timeline.tierTokens[i]).isEqualTo(1984);
            assertThat(figures.timeline.hits[i]).isEqualTo(1984);
            assertThat((double) figures.parts.get(i).get(Part.TIER_READ)).isEqualTo(ns, within(2.0));
        }
        for (int i : new int[] {0, 1, 4}) {
            assertThat(figures.timeline.tierTokens[i]).isZero();
        }
        assertThat(figures.all().get("remote_read_share")).isEqualTo(2 * 1984 / 10_000.0, within(1e-12));
        double plain = Clusters.run(cluster(2, 0.9, new RoundRobin.Settings(), Optional.empty()), crossed())
                .parts
                .get(2)
                .ttft();
        assertThat((double) figures.parts.get(2).ttft()).isLessThan(plain);
    }

    /** Blocks in the memory of an instance are also in the store, so other instances can read them. */
    @Test
    void keepsBlocksInTheSharedStore() {
        Tiers both = new Tiers(
                host(100, 40).host(), Optional.empty(), remote(100, 40, 700).remote(), 0, Optional.empty());
        ClusterFigures figures = Clusters.run(cluster(2, 0.9, new RoundRobin.Settings(), Optional.of(both)), crossed());
        assertThat(figures.timeline.tierTokens).containsExactly(0, 0, 1984, 1984, 0);
        assertThat(figures.all().get("remote_read_share")).isEqualTo(2 * 1984 / 10_000.0, within(1e-12));
    }

    @Test
    void skipsReadsSlowerThanPrefill() {
        ServingClusterSettings cluster = cluster(2, 0.9, new RoundRobin.Settings(), Optional.of(remote(100, 2, 0)));
        ClusterFigures figures = Clusters.run(cluster, crossed());
        assertThat(figures.timeline.tierTokens).containsOnly(0);
        assertThat(figures.timeline.completed)
                .isEqualTo(Clusters.run(cluster(2, 0.9, new RoundRobin.Settings(), Optional.empty()), crossed())
                        .timeline
                        .completed);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void raisesHitsWithHostMemory(long seed) {
        RequestTrace trace = Clusters.requests(300, 6, 80, seed);
        RouterSettings router = new LeastOutstanding.Settings();
        ClusterFigures plain = Clusters.run(cluster(1, 0.25, router, Optional.empty()), trace);
        ClusterFigures tiered = Clusters.run(cluster(1, 0.25, router, Optional.of(host(200, 50))), trace);
        assertThat(tiered.all().get("cached_prompt_share"))
                .isGreaterThan(plain.all().get("cached_prompt_share") + 0.05);
        assertThat(tiered.all().get("ttft_p50_ms")).isLessThan(plain.all().get("ttft_p50_ms"));
        long read = 0;
        for (int i = 0; i < trace.size(); i++) {
            LatencyBreakdown parts = tiered.parts.get(i);
            assertThat(LongStream.of(parts.values()))
                    .allSatisfy(part -> assertThat(part).isNotNegative());
            assertThat(parts.e2e())
                    .isEqualTo(LatencyBreakdown.ns(tiered.timeline.completed[i])
                            - LatencyBreakdown.ns(tiered.timeline.arrived[i]));
            assertThat(tiered.timeline.hits[i]).isGreaterThanOrEqualTo(tiered.timeline.tierTokens[i]);
            read += tiered.timeline.tierTokens[i];
        }
        assertThat(tiered.all().get("host_read_share"))
                .isEqualTo(
                        read
                                / IntStream.range(0, trace.size())
                                        .mapToDouble(trace::prefillTokens)
                                        .sum(),
                        within(1e-12));
        assertThat(tiered.instances.get(0).isIdle()).isTrue();
    }

    @Test
    void rejectsTiersWithoutEffect() {
        for (ServingClusterSettings cluster : List.of(
                cluster(
                        1,
                        0.9,
                        new LeastOutstanding.Settings(),
                        Optional.of(
                                new Tiers(Optional.empty(), Optional.empty(), Optional.empty(), 0, Optional.empty()))),
                Clusters.cluster(
                        Map.of("all", Clusters.tiered(Clusters.pool(PoolRole.BOTH, 1, "sglang", 0.9, 64), host(1, 1))),
                        new LeastOutstanding.Settings(),
                        Optional.empty(),
                        Clusters.transfer(1, 0)))) {
            assertThat(PoolPlans.problems(Clusters.settings(cluster)))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.where()).isEqualTo("cluster.pools.all.tiers"));
        }
    }

    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(new Tier(NONE.capacityGb(), NONE.readGbs(), 50));
    }
}
