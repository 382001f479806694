package dev.stagesim.feature.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Start;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.report.LatencyBreakdown;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.stats.Quantiles;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Prefill and decode pools of SGLang and TensorRT-LLM. */
final class SglangPoolsTest {
    private static final double UNLIMITED = 1e15;

    private static ServingClusterSettings pools(String engine, double prefillMemory, double decodeMemory, double gbs) {
        return Clusters.cluster(
                Map.of(
                        "p", Clusters.pool(PoolRole.PREFILL, 2, engine, prefillMemory, 64),
                        "d", Clusters.pool(PoolRole.DECODE, 2, engine, decodeMemory, 64)),
                new LeastOutstanding.Settings(),
                Optional.empty(),
                Clusters.transfer(gbs, 0));
    }

    /** With an unlimited link, a single request takes as long as on one engine. */
    @ParameterizedTest
    @CsvSource({"1, 2", "15, 100", "2000, 3", "5000, 50"})
    void addsNothingToBothStagesWithAFreeTransfer(int prompt, int output) {
        RequestTrace one = new RequestTrace(new double[1], new int[] {prompt}, new int[] {output});
        ServingClusterSettings together = Clusters.cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, 1, "sglang", 0.9, 64)),
                new LeastOutstanding.Settings(),
                Optional.empty(),
                Clusters.transfer(1, 0));
        LatencyBreakdown whole =
                Clusters.run(Clusters.settings(together), one).parts.get(0);
        LatencyBreakdown split =
                Clusters.run(pools("sglang", 0.9, 0.9, UNLIMITED), one).parts.get(0);
        assertThat(split.ttft()).isEqualTo(whole.ttft());
        assertThat((double) split.e2e()).isEqualTo(whole.e2e(), within(2.0));
        assertThat(split.get(Part.TRANSFER)).isLessThanOrEqualTo(1);
    }

    private static RequestTimeline run(ServingClusterSettings cluster, RequestTrace trace) {
        List<PoolPlan> plans = PoolPlans.of(Clusters.settings(cluster), 4096);
        ClusterSim sim = new ClusterSim(cluster, plans, trace);
        RequestTimeline timeline = sim.run();
        for (Instance instance : sim.instances()) {
            assertThat(instance.isIdle()).isTrue();
            assertThat(instance.kvUsage()).isZero();
            assertThat(instance.present).isZero();
            assertThat(instance.queuedTokens).isZero();
        }
        return timeline;
    }

    /** Every request passes all queues in order, and all memory is released, also if memory is scarce. */
    @ParameterizedTest
    @CsvSource({"0.9, 0.9, 50", "0.9, 0.21, 50", "0.21, 0.21, 0.5"})
    void servesEveryRequestOnce(double prefillMemory, double decodeMemory, double gbs) {
        RequestTrace trace = Clusters.requests(400, 30, 4, 11);
        RequestTimeline timeline = run(pools("sglang", prefillMemory, decodeMemory, gbs), trace);
        for (int i = 0; i < trace.size(); i++) {
            assertThat(timeline.isServed(i)).isTrue();
            if (trace.decodeTokens(i) > 1) {
                assertThat(new double[] {
                            timeline.entered[i],
                            timeline.reserved[i],
                            timeline.started[i],
                            timeline.firstToken[i],
                            timeline.moving[i],
                            timeline.moved[i],
                            timeline.resumed[i],
                            timeline.completed[i]
                        })
                        .isSorted();
                assertThat(timeline.transferred[i]).isEqualTo(trace.prefillTokens(i));
            }
        }
    }

    /** A decode pool without free memory delays prefills, because memory is reserved before them. */
    @Test
    void waitsForMemoryOfTheDecodePoolBeforePrefills() {
        RequestTrace trace = Clusters.requests(300, 40, 0, 3);
        RequestTimeline large = run(pools("sglang", 0.9, 0.9, 50), trace);
        RequestTimeline small = run(pools("sglang", 0.9, 0.21, 50), trace);
        assertThat(wait(small)).isGreaterThan(10 * wait(large));
        assertThat(IntStream.range(0, trace.size())
                        .mapToDouble(i -> gap(small, i))
                        .max()
                        .orElse(0))
                .as("from the reservation to the queue of the prefill engine")
                .isLessThan(5);
    }

    private static double wait(RequestTimeline timeline) {
        return IntStream.range(0, timeline.size())
                .mapToDouble(i -> timeline.reserved[i] - timeline.entered[i])
                .filter(seconds -> !Double.isNaN(seconds))
                .sum();
    }

    private static double gap(RequestTimeline timeline, int request) {
        double seconds = timeline.started[request] - timeline.reserved[request];
        return Double.isNaN(seconds) ? 0 : seconds;
    }

    @Test
    void endsEveryRequestOnceAfterFailures() {
        for (int seed = 0; seed < 8; seed++) {
            ServingClusterSettings cluster = Clusters.with(
                    pools("sglang", 0.3, 0.25, 2),
                    Optional.of(KeyRecord.of(
                            Start.class, Map.of("imageS", 0.0, "captureS", 0.0, "warmUpS", 0.0, "storeGbs", 1000.0))),
                    Optional.of(new FailureSettings.Random(0.003, 60, 2, seed)),
                    Optional.empty());
            RequestTrace trace = Clusters.requests(200, 20, 4, seed);
            RequestTimeline timeline = run(cluster, trace);
            assertThat(Arrays.stream(timeline.outcome).noneMatch(outcome -> outcome == RequestTimeline.Outcome.OPEN))
                    .isTrue();
            assertThat(Arrays.stream(timeline.attempts).sum()).isPositive();
        }
    }

    private static double median(ClusterFigures figures, boolean isFirst) {
        double[] values = IntStream.range(0, figures.timeline.size())
                .filter(i -> figures.trace.decodeTokens(i) > 1)
                .mapToDouble(i -> isFirst
                        ? figures.timeline.firstToken[i] - figures.timeline.arrived[i]
                        : (figures.timeline.completed[i] - figures.timeline.firstToken[i])
                                / (figures.trace.decodeTokens(i) - 1))
                .sorted()
                .toArray();
        return Quantiles.ofSorted(values, 0.5);
    }

    /** Engines differ by their overheads, not by multiples. */
    @ParameterizedTest
    @CsvSource({"sglang", "trtllm"})
    void isCloseToVllmOnTheSameDevices(String engine) {
        RequestTrace trace = Clusters.requests(300, 10, 0, 5);
        ClusterFigures vllm = Clusters.run(pools("vllm_v1", 0.9, 0.9, 50), trace);
        ClusterFigures other = Clusters.run(pools(engine, 0.9, 0.9, 50), trace);
        assertThat(median(other, true) / median(vllm, true)).isBetween(0.6, 1.6);
        assertThat(median(other, false) / median(vllm, false)).isBetween(0.6, 1.4);
    }
}
