package dev.stagesim.feature.cluster.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.autoscaler.Fleet.Change;
import dev.stagesim.feature.cluster.autoscaler.ScalerSettings.Metric;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Start;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Stragglers;
import dev.stagesim.feature.cluster.gateway.AdmitAll;
import dev.stagesim.feature.cluster.gateway.Fifo;
import dev.stagesim.feature.cluster.gateway.GatewaySettings;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.report.ClusterFindings;
import dev.stagesim.feature.cluster.report.FailureReport;
import dev.stagesim.feature.cluster.report.LatencyBreakdown;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.feature.cluster.report.OperationsReport;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.PowerOfTwo;
import dev.stagesim.feature.cluster.router.PrefixRouter;
import dev.stagesim.feature.cluster.router.RandomChoice;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.router.SessionHash;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.serving.metrics.DevicePower;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts, drains, failures and stragglers of instances, and the quantities that they conserve. */
final class FleetTest {
    private static final Start FAST = new Start(1, 2, 100, Optional.empty(), 3, 4);
    private static final RouterSettings SHORTEST_QUEUE = new LeastOutstanding.Settings();

    private static ServingClusterSettings cluster(
            Map<String, Pool> pools, RouterSettings router, Optional<FailureSettings> failures, Start start) {
        ServingClusterSettings plain = Clusters.cluster(pools, router, Optional.empty(), Clusters.transfer(50, 50));
        return Clusters.with(plain, Optional.of(start), failures, Optional.empty());
    }

    private static Pool scaled(int replicas, int min, int max, ScalerSettings rule) {
        return Clusters.scaled(Clusters.pool(PoolRole.BOTH, replicas), new ScalingSettings(min, max, 500, rule));
    }

    private static FailureSettings down(int retries, Object... instancesTimesAndRepairs) {
        Map<String, FailureSettings.Down> times = new TreeMap<>();
        for (int i = 0; i < instancesTimesAndRepairs.length; i += 3) {
            times.put(
                    "f" + i,
                    new FailureSettings.Down(
                            (Integer) instancesTimesAndRepairs[i],
                            ((Number) instancesTimesAndRepairs[i + 1]).doubleValue(),
                            ((Number) instancesTimesAndRepairs[i + 2]).doubleValue()));
        }
        return new FailureSettings.Listed(times, retries);
    }

    /** Asserts that every request ends once, the parts of its latency add up, and no memory is in use at the end. */
    private static void assertConserved(ClusterFigures figures) {
        RequestTimeline timeline = figures.timeline;
        for (int i = 0; i < timeline.size(); i++) {
            assertThat(timeline.isOpen(i)).isFalse();
            if (timeline.isServed(i)) {
                LatencyBreakdown parts = figures.parts.get(i);
                assertThat(LongStream.of(parts.values()))
                        .allSatisfy(part -> assertThat(part).isNotNegative());
                assertThat(parts.ttft())
                        .isEqualTo(
                                LatencyBreakdown.ns(timeline.firstToken[i]) - LatencyBreakdown.ns(timeline.arrived[i]));
                assertThat(parts.e2e())
                        .isEqualTo(
                                LatencyBreakdown.ns(timeline.completed[i]) - LatencyBreakdown.ns(timeline.arrived[i]));
            }
        }
        assertThat(figures.instances).allSatisfy(instance -> {
            assertThat(instance.isIdle()).isTrue();
            assertThat(instance.present).isZero();
        });
    }

    private static List<String> words(ClusterFigures figures) {
        return figures.sim.fleet().changes().stream()
                .map(change -> change.kind() + " " + change.instance())
                .toList();
    }

    @Test
    void addsThePhasesOfAStart() {
        Scaler.Load none = new Scaler.Load(0, 0, 0, 0, 0, 1);
        assertThat(none.instances()).isZero();
        RequestTrace one = new RequestTrace(new double[] {20}, new int[] {100}, new int[] {5});
        ServingClusterSettings cluster = cluster(
                Map.of("all", scaled(0, 0, 3, new Keda.Settings(Metric.REQUESTS, 10, 0, 30, 300))),
                SHORTEST_QUEUE,
                Optional.empty(),
                FAST);
        ClusterFigures figures = Clusters.run(cluster, one);
        Change ordered = figures.sim.fleet().changes().get(0);
        Change open = figures.sim.fleet().changes().get(1);
        // The first poll.
        assertThat(ordered.at()).isEqualTo(30);
        double weights = figures.pools.get(0).replica().weightBytes();
        assertThat(weights).isBetween(16.0e9, 16.2e9);
        assertThat(open.at()).isEqualTo(30 + 1 + 2 + 3 + 4 + weights / 100e9, within(1e-9));
        assertThat(figures.parts.get(0).get(Part.GATEWAY))
                .isEqualTo(LatencyBreakdown.ns(open.at()) - LatencyBreakdown.ns(20));
        assertConserved(figures);
        double end = figures.seconds;
        assertThat(figures.sim.fleet().billed(figures.instances.get(0))).isEqualTo(end - 30, within(1e-9));
        assertThat(figures.sim.fleet().up(figures.instances.get(0))).isEqualTo(end - open.at(), within(1e-9));
    }

    private static ScalingSettings keda(double threshold, double activation) {
        return new ScalingSettings(0, 8, 500, new Keda.Settings(Metric.REQUESTS, threshold, activation, 30, 300));
    }

    private static RequestTrace waiting(int size) {
        RequestTrace trace = Clusters.requests(size, 100, 0, 3);
        assertThat(trace.arrivalSeconds(size - 1)).isLessThan(15);
        return trace;
    }

    @Test
    @Tag("acceptance")
    void reportsARuleThatNeverStartsAnInstance() {
        ServingClusterSettings cluster = cluster(
                Map.of("all", Clusters.scaled(Clusters.pool(PoolRole.BOTH, 0), keda(10, 5))),
                SHORTEST_QUEUE,
                Optional.empty(),
                FAST);
        RequestTrace five = waiting(5);
        assertThatThrownBy(() -> Clusters.run(cluster, five))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("request 0 never starts: no instance is open");
        assertConserved(Clusters.run(cluster, waiting(6)));
    }

    @Test
    void sharesTheQueueBetweenPoolsOfARole() {
        Pool pool = Clusters.scaled(Clusters.pool(PoolRole.BOTH, 0), keda(2, 0));
        Start slow = new Start(100, 0, 100, Optional.empty(), 0, 0);
        for (Map<String, Pool> pools : List.of(Map.of("a", pool), Map.of("a", pool, "b", pool))) {
            ClusterFigures figures = Clusters.run(cluster(pools, SHORTEST_QUEUE, Optional.empty(), slow), waiting(16));
            // One of each pool to wake up, and ceil(16 / 2) in total while they start.
            assertThat(words(figures))
                    .filteredOn(word -> word.startsWith("ordered"))
                    .hasSize(8);
        }
    }

    @Test
    void ignoresCancelledRequestsInTheLoad() {
        GatewaySettings.Tenant hasty = new GatewaySettings.Tenant(1, 1, 0, Optional.empty(), Optional.of(5.0), 0, 10);
        ServingClusterSettings cluster = Clusters.withGateway(
                cluster(
                        Map.of("all", Clusters.scaled(Clusters.pool(PoolRole.BOTH, 0), keda(1, 0))),
                        SHORTEST_QUEUE,
                        Optional.empty(),
                        FAST),
                Optional.of(new GatewaySettings(
                        new AdmitAll.Settings(),
                        new Fifo.Settings(),
                        Optional.empty(),
                        Optional.empty(),
                        Map.of("hasty", hasty),
                        42)),
                Optional.empty());
        // All requests except the last one, at 100 s, are cancelled before the autoscaler runs.
        RequestTrace trace = new RequestTrace(new double[] {1, 2, 100}, new int[] {9, 9, 9}, new int[] {9, 9, 9});
        ClusterFigures figures = Clusters.run(cluster, trace);
        assertThat(figures.sim.fleet().changes())
                .allSatisfy(change -> assertThat(change.at()).isGreaterThan(100));
    }

    @Test
    void loadsWeightsFromARunningInstance() {
        Start start = new Start(0, 0, 1, Optional.of(16.0), 0, 0);
        RequestTrace trace = Clusters.requests(200, 10, 0, 3);
        ServingClusterSettings cluster = cluster(
                Map.of("all", scaled(1, 1, 2, new Kpa.Settings(Metric.REQUESTS, 4, 2, 60, 10, 2, 1000, 2, 30))),
                SHORTEST_QUEUE,
                Optional.empty(),
                start);
        ClusterFigures figures = Clusters.run(cluster, trace);
        List<Change> changes = figures.sim.fleet().changes();
        assertThat(changes.get(1).at() - changes.get(0).at())
                .isEqualTo(figures.pools.get(0).replica().weightBytes() / 16e9, within(1e-9));
    }

    @Test
    void endsADrainWithTheLastRequest() {
        // A burst, and then a request every 20 s.
        double[] arrivals = new double[70];
        int[] prompts = new int[70];
        int[] outputs = new int[70];
        for (int i = 0; i < 70; i++) {
            arrivals[i] = i < 40 ? 0.01 * i : 20.0 * (i - 39);
            prompts[i] = 500;
            outputs[i] = i == 41 ? 3000 : 100;
        }
        RequestTrace trace = new RequestTrace(arrivals, prompts, outputs);
        ClusterFigures figures = Clusters.run(
                cluster(
                        Map.of(
                                "all",
                                scaled(
                                        3,
                                        1,
                                        3,
                                        KeyRecord.of(Hpa.Settings.class, Map.of("target", 4, "downWindowS", 30)))),
                        new RoundRobin.Settings(),
                        Optional.empty(),
                        FAST),
                trace);
        assertConserved(figures);
        assertThat(words(figures))
                .startsWith("draining 2")
                .contains("removed 2", "removed 1")
                .doesNotContain("draining 0");
        for (Change change : figures.sim.fleet().changes()) {
            if (change.kind().equals("removed")) {
                for (int i = 0; i < trace.size(); i++) {
                    boolean isLater = figures.timeline.arrived[i] > change.at();
                    assertThat(figures.timeline.first[i] == change.instance()
                                    && (isLater || figures.timeline.completed[i] > change.at()))
                            .isFalse();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void retriesOrLosesRequestsOfAFailedInstance(int retries) {
        RequestTrace trace = Clusters.requests(200, 12, 0, 3);
        ServingClusterSettings cluster = cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, 2)),
                SHORTEST_QUEUE,
                Optional.of(down(retries, 0, 5.0, 1.0, 1, 6.0, 1.0, 1, 7.0, 0.0, 0, 8.0, 0.0)),
                FAST);
        ClusterFigures figures = Clusters.run(cluster, trace);
        assertConserved(figures);
        RequestTimeline timeline = figures.timeline;
        int lost = 0;
        int repeated = 0;
        for (int i = 0; i < timeline.size(); i++) {
            lost += timeline.isServed(i) ? 0 : 1;
            repeated += timeline.isServed(i) && timeline.attempts[i] > 0 ? 1 : 0;
            assertThat(timeline.attempts[i]).isLessThanOrEqualTo(retries + 1);
            assertThat(figures.parts.get(i).get(Part.LOST) > 0)
                    .isEqualTo(timeline.isServed(i) && timeline.attempts[i] > 0);
        }
        assertThat(figures.sim.lostTokens()).isPositive();
        // Requests on instance 0 at 5 s are retried on instance 1, which fails at 6 s.
        assertThat(lost > 0).isEqualTo(retries < 3);
        assertThat(repeated > 0).isEqualTo(retries > 0);
        // At 7 s instance 1 is not up yet. At 8 s instance 0 fails while starting and starts again.
        assertThat(words(figures))
                .containsExactly(
                        "failed 0", "failed 1", "ordered 0", "ordered 1", "failed 0", "ordered 0", "open 1", "open 0");
        assertThat(Clusters.run(cluster, trace).timeline.completed).isEqualTo(timeline.completed);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void completesSplitRequestsWhenEitherSideFails(long seed) {
        RequestTrace trace = Clusters.requests(250, 12, 5, seed);
        ServingClusterSettings plain = Clusters.cluster(
                Map.of(
                        "p", Clusters.pool(PoolRole.PREFILL, 2, "vllm_v1", 0.3, 64),
                        "d", Clusters.pool(PoolRole.DECODE, 2, "vllm_v1", 0.25, 64)),
                seed % 2 == 0 ? KvCost.Settings.of(1, 16) : new PrefixRouter.Settings(2, 1, 16),
                Optional.of(seed > 3 ? new Split.Missing(300) : new Split.LongerThan(300)),
                Clusters.transfer(seed % 3 == 0 ? 0.5 : 20, 20));
        ServingClusterSettings cluster = Clusters.with(
                plain,
                Optional.of(FAST),
                Optional.of(new FailureSettings.Random(0.003, 2, 100, seed)),
                Optional.empty());
        ClusterFigures figures = Clusters.run(cluster, trace);
        assertConserved(figures);
        assertThat(words(figures)).filteredOn(word -> word.startsWith("failed")).hasSizeGreaterThan(3);
        assertThat(figures.timeline.outcome).containsOnly(RequestTimeline.Outcome.COMPLETED);
    }

    @Test
    void slowsStragglersByTheirFactor() {
        RequestTrace one = new RequestTrace(new double[1], new int[] {1000}, new int[] {50});
        ServingClusterSettings plain = Clusters.cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, 1)),
                SHORTEST_QUEUE,
                Optional.empty(),
                Clusters.transfer(1, 0));
        ServingClusterSettings slow =
                Clusters.with(plain, Optional.empty(), Optional.empty(), Optional.of(new Stragglers(1, 3, 1)));
        LatencyBreakdown usual = Clusters.run(plain, one).parts.get(0);
        LatencyBreakdown slower = Clusters.run(slow, one).parts.get(0);
        assertThat((double) slower.get(Part.PREFILL)).isEqualTo(3.0 * usual.get(Part.PREFILL), within(10.0));
        assertThat((double) slower.get(Part.DECODE)).isEqualTo(3.0 * usual.get(Part.DECODE), within(200.0));
    }

    @Test
    void scalesWithABurstAtLowerCostThanItsPeak() {
        RequestTrace trace = Clusters.requests(600, 20, 0, 9);
        ScalerSettings rule = KeyRecord.of(Hpa.Settings.class, Map.of("target", 16, "intervalS", 5, "downWindowS", 60));
        ClusterFigures scaled = Clusters.run(
                cluster(Map.of("all", scaled(1, 1, 6, rule)), SHORTEST_QUEUE, Optional.empty(), FAST), trace);
        assertConserved(scaled);
        double billed = scaled.instances.stream()
                .mapToDouble(scaled.sim.fleet()::billed)
                .sum();
        assertThat(billed).isBetween(1.2 * scaled.seconds, 5.9 * scaled.seconds);
        assertThat(scaled.all().get("ttft_p99_ms"))
                .isGreaterThan(Clusters.run(
                                Clusters.cluster(
                                        Map.of("all", Clusters.pool(PoolRole.BOTH, 6)),
                                        SHORTEST_QUEUE,
                                        Optional.empty(),
                                        Clusters.transfer(1, 0)),
                                trace)
                        .all()
                        .get("ttft_p99_ms"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void neverRoutesToClosedInstances(int kind) {
        RouterSettings router =
                switch (kind) {
                    case 0 -> new RoundRobin.Settings();
                    case 1 -> new RandomChoice.Settings(3);
                    case 2 -> new PowerOfTwo.Settings(3);
                    case 3 -> new SessionHash.Settings(16);
                    case 4 -> new PrefixRouter.Settings(2, 1, 16);
                    case 5 -> KvCost.Settings.of(1, 16);
                    default -> SHORTEST_QUEUE;
                };
        RequestTrace trace = Clusters.requests(300, 20, 8, 3);
        ClusterFigures figures = Clusters.run(
                cluster(
                        Map.of("all", Clusters.pool(PoolRole.BOTH, 5)),
                        router,
                        Optional.of(down(5, 1, 3.0, 2.0, 3, 3.5, 100.0, 0, 9.0, 1.0)),
                        FAST),
                trace);
        assertConserved(figures);
        for (int i = 0; i < trace.size(); i++) {
            double routed = figures.timeline.routed[i];
            assertThat(figures.timeline.first[i] == 3 && routed > 3.5).isFalse();
            assertThat(figures.timeline.first[i] == 1 && routed > 3 && routed < 15)
                    .isFalse();
        }
    }

    @Test
    void reportsLateScalingWhenRequestsWaitForAStart() {
        RequestTrace two = new RequestTrace(new double[] {20, 21}, new int[] {100, 100}, new int[] {5, 5});
        ServingClusterSettings cluster = cluster(
                Map.of("all", scaled(0, 0, 3, new Keda.Settings(Metric.REQUESTS, 10, 0, 30, 300))),
                SHORTEST_QUEUE,
                Optional.empty(),
                FAST);
        ClusterFigures figures = Clusters.run(cluster, two);
        double start = figures.pools.get(0).startSeconds().store();
        double waited = 0;
        for (int i = 0; i < 2; i++) {
            waited += figures.timeline.firstToken[i] - figures.timeline.arrived[i];
        }
        // Both requests arrived before the order, so the whole start counts for them.
        OperationsReport report = new OperationsReport(figures);
        assertThat(report.lateShare()).isEqualTo(2 * start / waited, within(1e-9));
        assertThat(new ClusterFindings(figures).word())
                .endsWith(", but scaling is late: a start takes " + Numbers.significant(start, 3) + " s");
        assertThat(report.lost()).isEmpty();
        assertThat(figures.all()).containsKey("mean_devices").doesNotContainKey("devices");
        assertThat(figures.all().get("mean_billed_devices"))
                .isCloseTo(figures.all().get("all_instance_hours") * 3600 / figures.seconds, within(1e-9))
                .isGreaterThan(figures.all().get("mean_devices"));
    }

    @Test
    void namesLateScalingBeforeMemoryAndTheKeysThatPreventIt() throws IOException {
        Start slow = new Start(1, 2, 100, Optional.empty(), 40, 40);
        Pool one = Clusters.scaled(
                Clusters.pool(PoolRole.BOTH, 1, "vllm_v1", 0.26, 64),
                new ScalingSettings(1, 4, 500, new Keda.Settings(Metric.REQUESTS, 10, 0, 30, 300)));
        RequestTrace trace = Clusters.requests(2000, 12, 0, 3);
        ServingClusterSettings cluster = cluster(Map.of("all", one), SHORTEST_QUEUE, Optional.empty(), slow);
        ClusterFigures late = Clusters.run(cluster, trace);
        assertThat(new ClusterFindings(late).word()).contains("scaling is late: a start takes ");
        assertThat(new OperationsReport(late).tooShort()).isEmpty();
        ClusterFigures brief = Clusters.run(cluster, Clusters.requests(600, 12, 0, 3));
        assertThat(new OperationsReport(brief).tooShort())
                .hasValueSatisfying(finding -> assertThat(finding.advice()).contains("Set requests="));
        assertThat(summary(cluster, late))
                .contains("is short of KV cache")
                .contains("Set cluster.pools.all.scaling.min=3 cluster.pools.all.replicas=3, lower");
    }

    @Test
    void reportsRunsThatAreTooShortForFailures() {
        assertThat(failureFinding(new FailureSettings.Random(100, 60, 1, 42)))
                .contains("it keeps up, but no instance failed in the ")
                .contains("Each of 2 instances fails every 100 h on average (MTBF)")
                .contains("after 60.0 s on average (MTTR)")
                .contains("A run of 500 h shows about 10 failures")
                .contains(
                        "failures are too rare to matter in a run of this length", "lower cluster.failures.mtbf_h to 0")
                .doesNotContain("000000");
        assertThat(failureFinding(down(3, 0, 1.0, 1000.0)))
                .contains("but no failed instance served again in the ")
                .contains("1 instance failed and 0 served again")
                .contains("The last repair ends after about 16.9 min: set requests=");
        assertThat(failureFinding(down(3, 0, 0.5, 0.1, 1, 1000.0, 1.0)))
                .contains("1 instance failed and 1 served again")
                .contains("it keeps up, but the run is too short to judge failures")
                .contains("The last repair ends after about 16.9 min: set requests=");
        assertThat(failureFinding(down(3, 0, 0.5, 0.1)))
                .endsWith("it keeps up")
                .contains("1 instance failed and 1 served again");
        assertThat(failureFinding(new FailureSettings.Random(0.01, 1, 9, 1)))
                .endsWith(" s (P99) for their prefill; requests waited for failed instances")
                .contains("A run of 3.00 min");
    }

    @Test
    void verdictsStateTheRateOfFailures() throws IOException {
        assertThat(verdict(new FailureSettings.Random(0.1, 60, 1, 42)))
                .contains("Each of 2 instances fails every 6.00 min on average"
                        + " (cluster.failures.mtbf_h=0.1), far more often than real instances.");
        assertThat(verdict(new FailureSettings.Random(500, 60, 1, 42)))
                .contains("fails every 500 h on average (cluster.failures.mtbf_h=500).")
                .doesNotContain("real instances");
        assertThat(verdict(down(3, 0, 0.5, 0.1))).doesNotContain("mtbf_h");
    }

    /** Two instances serve 20 requests/s and one does not, so requests wait while the other one is down. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "600 | 20 | requests pile up: requests waited for failed instances",
                "3000 | 18 | the queue does not grow, but requests wait .* s \\(P99\\) for their prefill; requests waited for"
                        + " failed instances",
                "600 | 12 | it keeps up",
                "600 | 40 | requests pile up: all is saturated"
            })
    void namesFailedInstancesIfRequestsWaitedForThem(int requests, double rate, String word) {
        ServingClusterSettings cluster = cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, 2)),
                SHORTEST_QUEUE,
                Optional.of(down(3, 0, 1.0, 20.0)),
                FAST);
        ClusterFigures figures = Clusters.run(cluster, Clusters.requests(requests, rate, 0, 3));
        assertThat(new ClusterFindings(figures).word()).matches(word);
    }

    private static String verdict(FailureSettings failures) throws IOException {
        ServingClusterSettings cluster =
                cluster(Map.of("all", Clusters.pool(PoolRole.BOTH, 2)), SHORTEST_QUEUE, Optional.of(failures), FAST);
        return summary(cluster, Clusters.run(cluster, Clusters.requests(100, 1, 0, 3)))
                .split("\n## ", 2)[0];
    }

    private static String summary(ServingClusterSettings cluster, ClusterFigures figures) throws IOException {
        Path out = Files.createDirectories(
                Jimfs.newFileSystem(Configuration.unix()).getPath("/out"));
        Clusters.report(Clusters.settings(cluster), figures)
                .report(figures.all())
                .write(out);
        return Files.readString(out.resolve("summary.md"));
    }

    private static String failureFinding(FailureSettings failures) {
        ServingClusterSettings cluster =
                cluster(Map.of("all", Clusters.pool(PoolRole.BOTH, 2)), SHORTEST_QUEUE, Optional.of(failures), FAST);
        ClusterFigures figures = Clusters.run(cluster, Clusters.requests(100, 1, 0, 3));
        FailureReport report = figures.failures().orElseThrow();
        return report.text()
                + report.tooShort().map(ClusterFindings.Finding::advice).orElse("")
                + new ClusterFindings(figures).word();
    }

    @Test
    void computesCostAndEnergyOfTheCards() {
        RequestTrace trace = Clusters.requests(100, 5, 0, 3);
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of(
                        "p",
                        Clusters.pool(PoolRole.PREFILL, 1),
                        "d",
                        Clusters.wide(PoolRole.DECODE, 2, 2, Precision.BF16)),
                SHORTEST_QUEUE,
                Optional.empty(),
                Clusters.transfer(50, 50));
        ClusterFigures figures = Clusters.run(cluster, trace);
        HardwareCard card = CardFiles.hardware("h100");
        double hours = figures.seconds / 3600;
        Map<String, Double> all = figures.all();
        assertThat(all.get("d_instance_hours")).isEqualTo(2 * hours, within(1e-12));
        double price = card.costs().priceUsdHrTyp().orElseThrow();
        assertThat(all.get("d_usd")).isEqualTo(4 * hours * price, within(1e-9));
        double busy = figures.busy(figures.pools.get(0)) * 2 * figures.seconds;
        double board = 2 * card.costs().powerW().orElseThrow();
        double idle = 0.2 * (2 * figures.seconds - busy);
        assertThat(all.get("d_kwh") * 3.6e6 / board).isBetween(idle + 0.65 * busy, idle + 0.7 * busy);
        assertThat(all.get("usd_per_mtok")).isEqualTo(5 * hours * price / figures.outputTokens() * 1e6, within(1e-9));
        assertThat(all.get("joules_per_output_token"))
                .isEqualTo((all.get("d_kwh") + all.get("p_kwh")) * 3.6e6 / figures.outputTokens(), within(1e-9));
    }

    @Test
    void rejectsSettingsWithoutEffectAndImpossibleOnes() {
        Pool fixed = Clusters.pool(PoolRole.BOTH, 2);
        ServingClusterSettings plain =
                Clusters.cluster(Map.of("all", fixed), SHORTEST_QUEUE, Optional.empty(), Clusters.transfer(1, 0));
        ScalingSettings none = new ScalingSettings(
                0, 3, 500, KeyRecord.of(Hpa.Settings.class, Map.of("metric", Metric.KV, "target", 1)));
        ScalingSettings more = new ScalingSettings(3, 4, 500, new Keda.Settings(Metric.KV, 1, 0, 30, 300));
        ScalingSettings asleep = new ScalingSettings(0, 3, 500, new Keda.Settings(Metric.KV, 0.5, 0, 30, 300));
        ScalingSettings percent =
                new ScalingSettings(1, 3, 500, new Kpa.Settings(Metric.KV, 80, 2, 60, 10, 2, 1000, 2, 30));
        Optional<FailureSettings> third = Optional.of(down(1, 2, 5.0, 1.0));
        for (Object[] one : new Object[][] {
            {Clusters.with(plain, Optional.of(FAST), Optional.empty(), Optional.empty()), "cluster.start"},
            {Clusters.with(plain, Optional.empty(), third, Optional.empty()), "cluster.failures.times"},
            {
                Clusters.cluster(
                        Map.of("all", Clusters.scaled(fixed, none)),
                        SHORTEST_QUEUE,
                        Optional.empty(),
                        Clusters.transfer(1, 0)),
                "cluster.pools.all.scaling.min"
            },
            {
                Clusters.cluster(
                        Map.of("all", Clusters.scaled(fixed, more)),
                        SHORTEST_QUEUE,
                        Optional.empty(),
                        Clusters.transfer(1, 0)),
                "cluster.pools.all.replicas"
            },
            {
                Clusters.cluster(
                        Map.of("all", Clusters.scaled(Clusters.pool(PoolRole.BOTH, 0), asleep)),
                        SHORTEST_QUEUE,
                        Optional.empty(),
                        Clusters.transfer(1, 0)),
                "cluster.pools.all.scaling.min"
            },
            {
                Clusters.cluster(
                        Map.of("all", Clusters.scaled(fixed, percent)),
                        SHORTEST_QUEUE,
                        Optional.empty(),
                        Clusters.transfer(1, 0)),
                "cluster.pools.all.scaling.rule.metric"
            },
            {
                Clusters.cluster(
                        Map.of("all", Clusters.pool(PoolRole.BOTH, 0)),
                        SHORTEST_QUEUE,
                        Optional.empty(),
                        Clusters.transfer(1, 0)),
                "cluster.pools.all.replicas"
            }
        }) {
            assertThat(PoolPlans.problems(Clusters.settings((ServingClusterSettings) one[0])))
                    .extracting(problem -> problem.where())
                    .containsExactly((String) one[1]);
        }
    }

    @Test
    void hasTheMeasuredIdlePowerAsDefault() {
        assertThat(KeyRecord.components(ServingClusterSettings.class))
                .filteredOn(component -> component.getName().equals("idlePower"))
                .extracting(KeyRecord::defaultValue)
                .containsExactly(DevicePower.IDLE);
    }
}
