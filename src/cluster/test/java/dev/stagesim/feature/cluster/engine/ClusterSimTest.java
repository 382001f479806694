package dev.stagesim.feature.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Share;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.report.ClusterFindings;
import dev.stagesim.feature.cluster.report.LatencyBreakdown;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.PowerOfTwo;
import dev.stagesim.feature.cluster.router.PrefixRouter;
import dev.stagesim.feature.cluster.router.RandomChoice;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Precision;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.stats.Quantiles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares whole clusters with equivalent setups, and checks that their counters balance. */
final class ClusterSimTest {
    private static final RouterSettings SHORTEST_QUEUE = new LeastOutstanding.Settings();
    private static final double UNLIMITED = 1e15;

    private static ServingClusterSettings both(int replicas, RouterSettings router) {
        return Clusters.cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, replicas)),
                router,
                Optional.empty(),
                Clusters.transfer(1, 0));
    }

    private static ServingClusterSettings apart(int prefill, int decode, double gbs, double latencyUs) {
        return Clusters.cluster(
                Map.of("p", Clusters.pool(PoolRole.PREFILL, prefill), "d", Clusters.pool(PoolRole.DECODE, decode)),
                SHORTEST_QUEUE,
                Optional.empty(),
                Clusters.transfer(gbs, latencyUs));
    }

    @ParameterizedTest
    @CsvSource({"vllm_v1, 0.9, 3", "vllm_v1, 0.211, 9", "sglang, 0.9, 3", "sglang, 0.2, 9"})
    void matchesTheEngineWithOneInstance(String engine, double memory, double perSecond) {
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, 1, engine, memory, 64)),
                new RoundRobin.Settings(),
                Optional.empty(),
                Clusters.transfer(1, 0));
        RequestTrace trace = Clusters.requests(300, perSecond, 4, 7);
        ClusterFigures figures = Clusters.run(cluster, trace);
        PoolPlan pool = figures.pools.get(0);
        ServingOutcome alone =
                ServingSimulator.run(pool.spec(), trace, pool.replica().times());
        RequestStates states = alone.states();
        long restarts = 0;
        for (int i = 0; i < trace.size(); i++) {
            assertThat(figures.timeline.completed[i]).as("end of %d", i).isEqualTo(states.completedAt(i));
            assertThat(figures.timeline.firstToken[i])
                    .as("first token of %d", i)
                    .isEqualTo(states.prefillCompletedAt(i));
            assertThat(figures.timeline.preemptions[i]).isEqualTo(states.restarts(i));
            restarts += states.restarts(i);
        }
        // SGLang reserves whole outputs, because their length is fixed.
        assertThat(restarts > 0).isEqualTo(memory < 0.5 && engine.equals("vllm_v1"));
    }

    @Test
    void addsOnlyTheSecondApiServerWithAFreeTransfer() {
        for (int prompt : new int[] {1, 15, 16, 17, 2000, 3000}) {
            for (int output : new int[] {1, 2, 3, 100}) {
                RequestTrace one = new RequestTrace(new double[1], new int[] {prompt}, new int[] {output});
                ClusterFigures together = Clusters.run(both(1, SHORTEST_QUEUE), one);
                ClusterFigures apart = Clusters.run(apart(1, 1, UNLIMITED, 0), one);
                LatencyBreakdown parts = apart.parts.get(0);
                assertThat(parts.ttft()).isEqualTo(together.parts.get(0).ttft());
                double server = output == 1 ? 0 : apart.pools.get(0).serverSeconds(0) * 1e9;
                assertThat((double) parts.e2e()).isEqualTo(together.parts.get(0).e2e() + server, within(2.0));
                assertThat(parts.get(Part.TRANSFER)).isLessThanOrEqualTo(1);
            }
        }
    }

    @Test
    void transfersTwoThousandTokensInFiveMilliseconds() {
        RequestTrace one = new RequestTrace(new double[1], new int[] {2000}, new int[] {10});
        ClusterFigures figures = Clusters.run(apart(1, 1, 50, 100), one);
        assertThat(figures.sim.handoffs().bytes()).isEqualTo(2000.0 * 131_072);
        assertThat((double) figures.parts.get(0).get(Part.TRANSFER))
                .isEqualTo(2000.0 * 131_072 / 50 + 100_000, within(2.0));
    }

    @Test
    void ignoresThePrecisionOfMixedPoolsInTransfers() {
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of(
                        "a", Clusters.wide(PoolRole.BOTH, 1, 1, Precision.FP8),
                        "d", Clusters.pool(PoolRole.DECODE, 1),
                        "p", Clusters.pool(PoolRole.PREFILL, 1)),
                SHORTEST_QUEUE,
                Optional.of(new Split.LongerThan(100)),
                Clusters.transfer(50, 0));
        RequestTrace two = new RequestTrace(new double[2], new int[] {100, 2000}, new int[] {10, 10});
        assertThat(Clusters.run(cluster, two).sim.handoffs().bytes()).isEqualTo(2000.0 * 131_072);
    }

    /** 50 GB/s per device. Each of 8 devices has the whole latent cache; two of 16 devices have each head of Llama. */
    @ParameterizedTest
    @CsvSource({
        "deepseek_v3, h200, 8, 8, 70272, 8",
        "llama3_8b, h100, 16, 16, 131072, 2",
        "llama3_8b, h100, 2, 16, 131072, 2",
        "llama3_8b, h100, 1, 4, 131072, 1",
        "llama3_8b, h100, 4, 1, 131072, 1"
    })
    void readsTheWholeShareOfEveryDevice(String model, String hardware, int from, int to, int tokenBytes, int copies) {
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of(
                        "p", Clusters.wide(PoolRole.PREFILL, 1, from, Precision.BF16),
                        "d", Clusters.wide(PoolRole.DECODE, 1, to, Precision.BF16)),
                SHORTEST_QUEUE,
                Optional.empty(),
                Clusters.transfer(50, 0));
        RequestTrace one = new RequestTrace(new double[1], new int[] {2000}, new int[] {10});
        ClusterFigures figures = Clusters.run(Clusters.settings(cluster, model, hardware), one);
        double bytes = 2000.0 * tokenBytes * copies;
        assertThat(figures.sim.handoffs().bytes()).isEqualTo(bytes);
        double devices = Math.min(from, to);
        assertThat((double) figures.parts.get(0).get(Part.TRANSFER)).isEqualTo(bytes / 50 / devices, within(2.0));
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 0.9, 50", "1, 2, 0.211, 50", "2, 2, 0.211, 0.5"})
    void servesEveryRequestWithPartsThatAddUp(int prefill, int decode, double memory, double gbs) {
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of(
                        "p", Clusters.pool(PoolRole.PREFILL, prefill, "vllm_v1", memory, 64),
                        "d", Clusters.pool(PoolRole.DECODE, decode, "vllm_v1", memory, 64)),
                KvCost.Settings.of(1, 16),
                Optional.of(new Split.LongerThan(300)),
                Clusters.transfer(gbs, 20));
        RequestTrace trace = Clusters.requests(400, 12, 5, 3);
        ClusterFigures figures = Clusters.run(cluster, trace);
        RequestTimeline timeline = figures.timeline;
        long moved = 0;
        for (int i = 0; i < trace.size(); i++) {
            LatencyBreakdown parts = figures.parts.get(i);
            assertThat(timeline.isHandedOff(i)).isEqualTo(trace.prefillTokens(i) > 300 && trace.decodeTokens(i) > 1);
            assertThat(parts.ttft())
                    .isEqualTo(LatencyBreakdown.ns(timeline.firstToken[i]) - LatencyBreakdown.ns(timeline.arrived[i]));
            assertThat(parts.e2e())
                    .isEqualTo(LatencyBreakdown.ns(timeline.completed[i]) - LatencyBreakdown.ns(timeline.arrived[i]));
            assertThat(LongStream.of(parts.values()))
                    .allSatisfy(part -> assertThat(part).isNotNegative());
            if (timeline.isHandedOff(i)) {
                assertThat(timeline.transferred[i] + timeline.decodeHits[i]).isEqualTo(trace.prefillTokens(i));
                moved += timeline.transferred[i];
            }
        }
        assertThat(figures.sim.handoffs().bytes()).isEqualTo(moved * 131_072.0);
        assertThat(figures.instances).allSatisfy(instance -> {
            assertThat(instance.isIdle())
                    .as("blocks of instance %d are free", instance.number)
                    .isTrue();
        });
        assertThat(Clusters.run(cluster, trace).timeline.completed).isEqualTo(timeline.completed);
    }

    @Test
    void recordsTimesOfAlmostFullyCachedPrompts() {
        double[] arrivals = new double[40];
        int[] prompts = new int[40];
        int[] outputs = new int[40];
        for (int i = 0; i < arrivals.length; i++) {
            arrivals[i] = i * 0.05;
            prompts[i] = i % 3 == 0 ? 1 : 1009 - i % 3;
            outputs[i] = 1 + i % 4;
        }
        RequestTrace trace = new RequestTrace(arrivals, prompts, outputs, i -> Tokens.from(1));
        for (ServingClusterSettings cluster : List.of(both(2, SHORTEST_QUEUE), apart(1, 1, 50, 50))) {
            ClusterFigures figures = Clusters.run(cluster, trace);
            for (int i = 0; i < trace.size(); i++) {
                assertThat(figures.parts.get(i).get(Part.PREFILL)).isPositive();
                assertThat(figures.timeline.hits[i]).isLessThan(prompts[i]);
            }
            assertThat(figures.timeline.hits[38]).isEqualTo(prompts[38] == 1 ? 0 : 992 + (prompts[38] > 1008 ? 16 : 0));
        }
    }

    @Test
    void computesTransferPercentilesOverTransferredRequests() {
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of("p", Clusters.pool(PoolRole.PREFILL, 1), "d", Clusters.pool(PoolRole.DECODE, 1)),
                SHORTEST_QUEUE,
                Optional.of(new Split.LongerThan(2000)),
                Clusters.transfer(50, 0));
        ClusterFigures figures = Clusters.run(cluster, Clusters.requests(200, 5, 0, 5));
        assertThat(figures.handed).isBetween(20L, 90L);
        double[] times = IntStream.range(0, figures.size())
                .filter(figures.timeline::isHandedOff)
                .mapToDouble(i -> figures.parts.get(i).get(Part.TRANSFER) / 1e6)
                .toArray();
        assertThat(figures.all())
                .containsEntry("transfer_p50_ms", Quantiles.of(times, 0.5))
                .containsEntry("transfer_p99_ms", Quantiles.of(times, 0.99));
    }

    @Test
    void reportsNoFullLinkWithExclusiveTransfers() {
        RequestTrace trace = Clusters.requests(200, 5, 0, 5);
        ServingClusterSettings fair = apart(1, 1, 0.5, 0);
        Transfer alone = new Transfer(Optional.of(0.5), 0, Share.EXCLUSIVE, Optional.empty());
        ServingClusterSettings line =
                Clusters.of(fair.pools(), SHORTEST_QUEUE, Optional.empty(), Optional.empty(), Optional.of(alone));
        assertThat(Clusters.run(fair, trace).all().get("busiest_link_share")).isBetween(0.8, 1.0);
        ClusterFigures figures = Clusters.run(line, trace);
        assertThat(figures.all()).containsKey("transfer_p50_ms").doesNotContainKey("busiest_link_share");
        assertThat(new ClusterFindings(figures).word()).doesNotContain("link");
        String report = Clusters.report(Clusters.settings(line), figures)
                .report(figures.all())
                .markdown();
        assertThat(report).contains("at once.").doesNotContain("busiest link");
    }

    @Test
    void averagesPartsOverRequests() {
        ServingClusterSettings cluster = apart(1, 1, 0.5, 0);
        ClusterFigures figures = Clusters.run(cluster, Clusters.requests(200, 5, 0, 5));
        Map<String, ToLongFunction<LatencyBreakdown>> rows = Map.of(
                "prefill queue", Part.QUEUE,
                "prefill", Part.PREFILL,
                "KV transfer", Part.TRANSFER,
                "decode", Part.DECODE,
                "total", LatencyBreakdown::e2e);
        String report = Clusters.report(Clusters.settings(cluster), figures)
                .report(figures.all())
                .markdown();
        rows.forEach((name, part) -> {
            double mean = figures.parts.stream().mapToLong(part).average().orElseThrow() / 1e6;
            assertThat(report).contains("| " + name + " | " + Numbers.significant(mean, 3) + " |");
        });
    }

    @Test
    void rejectsARunThatOverflowsItsTables() {
        RequestTrace one = new RequestTrace(new double[1], new int[] {2000}, new int[] {10});
        ServingClusterSettings slow = apart(1, 1, 1e-12, 0);
        assertThatThrownBy(() -> Clusters.run(slow, one))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("290 years");
    }

    @Test
    void choosesDecodeInstancesIndependentlyOfPrefill() {
        RequestTrace trace = Clusters.requests(400, 14, 0, 5);
        for (RouterSettings router : List.of(new RandomChoice.Settings(42), new PowerOfTwo.Settings(42))) {
            ServingClusterSettings cluster = Clusters.of(
                    apart(2, 2, 50, 50).pools(), router, Optional.of(router), Optional.empty(), Optional.empty());
            RequestTimeline timeline = Clusters.run(cluster, trace).timeline;
            int[] pairs = new int[4];
            for (int i = 0; i < trace.size(); i++) {
                if (timeline.isHandedOff(i)) {
                    pairs[2 * timeline.first[i] + timeline.second[i] - 2]++;
                }
            }
            for (int count : pairs) {
                assertThat(count).as("of %s", router).isBetween(60, 140);
            }
        }
    }

    @Test
    void lowersTpotWithMoreDecodeInstances() {
        RequestTrace trace = Clusters.requests(400, 14, 8, 5);
        Map<String, Double> few = Clusters.run(apart(2, 1, 50, 50), trace).all();
        Map<String, Double> many = Clusters.run(apart(2, 3, 50, 50), trace).all();
        assertThat(many.get("tpot_p50_ms")).isLessThan(few.get("tpot_p50_ms"));
    }

    @Test
    void raisesHitsWithAPrefixRouterAndSmallCaches() {
        RequestTrace trace = Clusters.requests(400, 14, 60, 5);
        Map<String, Double> blind =
                Clusters.run(small(new RoundRobin.Settings()), trace).all();
        for (RouterSettings router : List.of(new PrefixRouter.Settings(2, 1, 16), KvCost.Settings.of(1, 16))) {
            Map<String, Double> aware = Clusters.run(small(router), trace).all();
            assertThat(aware.get("cached_prompt_share")).isGreaterThan(1.2 * blind.get("cached_prompt_share"));
            assertThat(aware.get("ttft_p50_ms")).isLessThan(blind.get("ttft_p50_ms"));
        }
    }

    /** Caches of some 70,000 tokens. */
    private static ServingClusterSettings small(RouterSettings router) {
        return Clusters.cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, 4, "vllm_v1", 0.3, 64)),
                router,
                Optional.empty(),
                Clusters.transfer(1, 0));
    }

    @Test
    void lowersTheTpotTailBySplittingOnlyUnderLoad() {
        RequestTrace busy = Clusters.requests(400, 26, 0, 5);
        assertThat(slowestTokens(Clusters.run(apart(2, 2, 50, 50), busy)))
                .isLessThan(slowestTokens(Clusters.run(both(4, SHORTEST_QUEUE), busy)));
        RequestTrace idle = Clusters.requests(40, 0.1, 0, 5);
        assertThat(Clusters.run(apart(2, 2, 50, 50), idle).all().get("e2e_p50_ms"))
                .isGreaterThan(Clusters.run(both(4, SHORTEST_QUEUE), idle).all().get("e2e_p50_ms"));
    }

    /** Returns the P99 TPOT in ns of outputs of at least 100 tokens, which amortise the KV transfer. */
    private static double slowestTokens(ClusterFigures figures) {
        double[] times = IntStream.range(0, figures.size())
                .filter(i -> figures.trace.decodeTokens(i) >= 100)
                .mapToDouble(figures::tpotNs)
                .toArray();
        return Quantiles.of(times, 0.99);
    }
}
