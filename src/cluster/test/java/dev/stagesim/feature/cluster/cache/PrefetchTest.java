package dev.stagesim.feature.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.cache.Tiers.Tier;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.report.LatencyBreakdown;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Compares reads into host memory while requests wait with a simulation in small time steps, and measures them in
 * clusters.
 */
final class PrefetchTest {
    private static final double TICK = 1.0 / 64;
    private static final int BLOCKS = 4;

    /** The blocks of a request, and the number of ticks spent on reading them. */
    private record PrefetchRequest(int request, long[] keys, int[] ticks) {
        int landed() {
            // Half a second of latency, and a quarter per block.
            return Math.max(0, Math.min(keys.length, (ticks[0] - 32) / 16));
        }
    }

    @Test
    void readsInSequenceWhenNoRequestWaits() {
        Tiers tiers = new Tiers(
                Optional.of(new Tier(1, 1, 0)),
                Optional.of(new Tier(1, 4, 500_000)),
                Optional.empty(),
                0,
                Optional.of(1));
        TierStore ssd = new TierStore(100_000, null);
        TierStore host = new TierStore(100_000, ssd);
        double[] busy = new double[3];
        Prefetch prefetch = new Prefetch(tiers, new TierStore[] {host, ssd, null}, 1e9, busy);
        List<PrefetchRequest> queue = new ArrayList<>();
        RandomStream random = RandomStream.of(7, "asks");
        int tick = 0;
        int request = 0;
        int found = 0;
        int cut = 0;
        for (int i = 0; i < 2000; i++) {
            for (int steps = (int) random.below(60); steps > 0; steps--) {
                PrefetchRequest first = queue.stream()
                        .filter(one -> one.landed() < one.keys().length)
                        .findFirst()
                        .orElse(null);
                if (first != null && tick * TICK >= busy[1]) {
                    first.ticks()[0]++;
                }
                tick++;
            }
            prefetch.advance(tick * TICK);
            for (PrefetchRequest one : queue) {
                for (int block = 0; block < one.keys().length; block++) {
                    assertThat(host.has(one.keys()[block]))
                            .as("block %d of %d", block, one.request())
                            .isEqualTo(block < one.landed());
                    assertThat(ssd.has(one.keys()[block])).isEqualTo(block >= one.landed());
                }
            }
            if (random.below(2) == 0) {
                long[] keys = new long[1 + (int) random.below(BLOCKS)];
                for (int block = 0; block < keys.length; block++) {
                    keys[block] = 100L * request + block;
                    ssd.put(keys[block], 0, 0);
                }
                prefetch.enqueue(request, 1, keys);
                queue.add(new PrefetchRequest(request++, keys, new int[1]));
            } else if (!queue.isEmpty()) {
                PrefetchRequest removed = queue.remove((int) random.below(queue.size()));
                long before = prefetch.usedTokens;
                prefetch.use(removed.request(), removed.keys(), 0, removed.keys().length);
                assertThat(prefetch.usedTokens - before).isEqualTo(16L * removed.landed());
                found += removed.landed();
                cut += removed.landed() > 0 && removed.landed() < removed.keys().length ? 1 : 0;
                prefetch.cancel(removed.request());
            }
            if (random.below(4) == 0) {
                busy[1] = Math.max(tick * TICK, busy[1]) + random.below(20) * TICK;
            }
        }
        assertThat(found).isGreaterThan(300);
        assertThat(cut).isGreaterThan(20);
    }

    private static ClusterFigures run(RequestTrace trace, double ssdGbs, Optional<Integer> prefetch) {
        Tiers tiers = new Tiers(
                Optional.of(new Tier(2, 40, 50)),
                Optional.of(new Tier(400, ssdGbs, 100)),
                Optional.empty(),
                0,
                prefetch);
        return Clusters.run(
                Clusters.cluster(
                        Map.of("all", Clusters.tiered(Clusters.pool(PoolRole.BOTH, 1, "vllm_v1", 0.24, 64), tiers)),
                        new RoundRobin.Settings(),
                        Optional.empty(),
                        Clusters.transfer(1, 0)),
                trace);
    }

    private static double mean(ClusterFigures figures) {
        return figures.parts.stream()
                        .mapToLong(LatencyBreakdown::ttft)
                        .average()
                        .orElseThrow()
                / 1e9;
    }

    /** Prefetching shortens reads only if requests wait. */
    @Test
    void hidesReadsDuringQueueing() {
        RequestTrace busy = Clusters.requests(300, 18, 60, 12);
        ClusterFigures without = run(busy, 4, Optional.empty());
        ClusterFigures with = run(busy, 4, Optional.of(256));
        assertThat(mean(with)).isLessThan(0.95 * mean(without));
        Map<String, Double> all = with.all();
        assertThat(all.get("prefetched_share")).isPositive();
        assertThat(all.get("prefetch_hit_share")).isBetween(0.3, 1.0);
        assertThat(all.get("prefetch_hidden_s")).isPositive();
        assertThat(without.all()).doesNotContainKey("prefetched_share");
        RequestTrace calm = Clusters.requests(150, 1, 60, 12);
        assertThat(mean(run(calm, 4, Optional.of(256)))).isLessThan(1.01 * mean(run(calm, 4, Optional.empty())));
        assertThat(run(busy, 4, Optional.of(1_000_000)).timeline.firstToken)
                .containsExactly(without.timeline.firstToken);
    }

    @Test
    void rejectsPrefetchingWithoutALowerTierOrHostMemory() {
        for (Tiers tiers : List.of(
                new Tiers(Optional.of(new Tier(2, 40, 50)), Optional.empty(), Optional.empty(), 0, Optional.of(64)),
                new Tiers(Optional.empty(), Optional.of(new Tier(2, 4, 50)), Optional.empty(), 0, Optional.of(256)))) {
            assertThat(PoolPlans.problems(Clusters.settings(Clusters.cluster(
                            Map.of("all", Clusters.tiered(Clusters.pool(PoolRole.BOTH, 1), tiers)),
                            new RoundRobin.Settings(),
                            Optional.empty(),
                            Clusters.transfer(1, 0)))))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.toString()).contains("prefetch_tokens"));
        }
    }
}
