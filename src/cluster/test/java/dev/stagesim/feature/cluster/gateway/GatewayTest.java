package dev.stagesim.feature.cluster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.config.bind.Conditions;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.engine.ClosedLoopSessions;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Start;
import dev.stagesim.feature.cluster.gateway.GatewaySettings.Tenant;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Outcome;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.report.LatencyBreakdown;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.RandomChoice;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.router.SessionHash;
import dev.stagesim.model.Problem;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the gateway of a cluster with second implementations, and checks that requests and tokens are conserved. */
final class GatewayTest {
    private static final RouterSettings SHORTEST_QUEUE = new LeastOutstanding.Settings();

    private static Tenant tenant(double share, double weight, int priority, double firstS, double timeoutS) {
        return new Tenant(
                share,
                weight,
                priority,
                firstS > 0 ? Optional.of(firstS) : Optional.empty(),
                timeoutS > 0 ? Optional.of(timeoutS) : Optional.empty(),
                0,
                10);
    }

    private static GatewaySettings gateway(
            AdmissionSettings admission,
            QueueOrderSettings order,
            int inFlight,
            int depth,
            Map<String, Tenant> tenants) {
        return new GatewaySettings(
                admission,
                order,
                inFlight > 0 ? Optional.of(inFlight) : Optional.empty(),
                depth > 0 ? Optional.of(depth) : Optional.empty(),
                new TreeMap<>(tenants),
                7);
    }

    private static Clients clients(RequestTrace trace, RequestTimeline timeline, Map<String, Tenant> tenants) {
        for (int i = 0; i < trace.size(); i++) {
            timeline.arrived[i] = trace.arrivalSeconds(i);
        }
        return new Clients(gateway(new AdmitAll.Settings(), new Fifo.Settings(), 0, 0, tenants), trace, timeline);
    }

    private static ClusterFigures run(
            ServingClusterSettings cluster,
            Optional<GatewaySettings> gateway,
            Optional<ClosedLoopSessions.Settings> sessions,
            RequestTrace trace) {
        ClusterFigures figures = Clusters.run(Clusters.withGateway(cluster, gateway, sessions), trace);
        RequestTimeline timeline = figures.timeline;
        for (int i = 0; i < trace.size(); i++) {
            assertThat(timeline.isOpen(i)).isFalse();
            if (timeline.isServed(i)) {
                LatencyBreakdown parts = figures.parts.get(i);
                assertThat(LongStream.of(parts.values()))
                        .allSatisfy(part -> assertThat(part).isNotNegative());
                assertThat(parts.e2e())
                        .isEqualTo(
                                LatencyBreakdown.ns(timeline.completed[i]) - LatencyBreakdown.ns(timeline.arrived[i]));
            }
        }
        assertThat(figures.instances).allSatisfy(instance -> {
            assertThat(instance.isIdle()).isTrue();
            assertThat(instance.present).isZero();
        });
        return figures;
    }

    private static ServingClusterSettings both(int replicas, RouterSettings router) {
        return Clusters.cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, replicas)),
                router,
                Optional.empty(),
                Clusters.transfer(1, 0));
    }

    /** Requests in flight produce tokens between decisions, and the counters include all of them. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void chargesOutputsDuringGenerationWithVtc(long seed) {
        Map<String, Tenant> tenants =
                Map.of("a", tenant(3, 1, 0, 0, 0), "b", tenant(1, 2, 0, 0, 0), "c", tenant(1, 0.5, 0, 0, 0));
        RequestTrace trace = Clusters.requests(400, 10, 0, seed);
        Clients clients = clients(trace, new RequestTimeline(400), tenants);
        AdmissionQueue line = new Vtc.Settings(1, 2).make(clients);
        double[] served = new double[3];
        List<Integer> known = new ArrayList<>();
        List<List<Integer>> waiting = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        Map<Integer, Integer> inFlight = new TreeMap<>();
        Comparator<Integer> next =
                Comparator.<Integer>comparingDouble(tenant -> served[tenant]).thenComparing(known::indexOf);
        RandomStream random = RandomStream.of(seed, "moves");
        int came = 0;
        int taken = 0;
        while (taken < 400) {
            for (Map.Entry<Integer, Integer> entry : inFlight.entrySet()) {
                int request = entry.getKey();
                int more = Math.min((int) random.below(4), trace.decodeTokens(request) - entry.getValue());
                for (int i = 0; i < more; i++) {
                    served[clients.tenant(request)] +=
                            2 / clients.settingsOf(request).weight();
                }
                line.produced(request, entry.getValue() + more);
                entry.setValue(entry.getValue() + more);
            }
            List<Integer> waits = known.stream()
                    .filter(tenant -> !waiting.get(tenant).isEmpty())
                    .toList();
            if (came < 400 && random.below(2) == 0) {
                int tenant = clients.tenant(came);
                if (waiting.get(tenant).isEmpty() && !waits.isEmpty()) {
                    served[tenant] = Math.max(served[tenant], served[Collections.min(waits, next)]);
                }
                if (!known.contains(tenant)) {
                    known.add(tenant);
                }
                waiting.get(tenant).add(came);
                line.add(came++);
            } else if (!waits.isEmpty()) {
                int tenant = Collections.min(waits, next);
                int request = waiting.get(tenant).remove(0);
                assertThat(line.take()).isEqualTo(request);
                served[tenant] += trace.prefillTokens(request)
                        / clients.settingsOf(request).weight();
                inFlight.put(request, 0);
                taken++;
            }
        }
        assertThat(known).hasSize(3);
    }

    @Test
    void sortsQueuesAndRemovesRequests() {
        Map<String, Tenant> tenants =
                Map.of("a", tenant(1, 1, 2, 5, 0), "b", tenant(1, 1, -1, 0, 3), "c", tenant(1, 1, 0, 0, 0));
        RequestTrace trace = Clusters.requests(200, 20, 0, 3);
        Clients clients = clients(trace, new RequestTimeline(200), tenants);
        Comparator<Integer> fifo = Comparator.naturalOrder();
        Comparator<Integer> priority =
                Comparator.comparing(i -> -clients.settingsOf(i).priority());
        Comparator<Integer> deadline = Comparator.comparing(i -> switch (clients.name(clients.tenant(i))) {
            case "a" -> trace.arrivalSeconds(i) + 5;
            case "b" -> trace.arrivalSeconds(i) + 3;
            default -> Double.POSITIVE_INFINITY;
        });
        Map<QueueOrderSettings, Comparator<Integer>> orders = Map.of(
                new Fifo.Settings(), fifo,
                new Priorities.Settings(), priority.thenComparing(fifo),
                new Deadlines.Settings(), deadline.thenComparing(fifo));
        orders.forEach((settings, order) -> {
            AdmissionQueue line = settings.make(clients);
            List<Integer> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                line.add(i);
                if (i % 7 == 0) {
                    line.remove(i);
                } else {
                    all.add(i);
                }
            }
            all.sort(order);
            assertThat(line.size()).isEqualTo(all.size());
            List<Integer> taken = all.stream().map(i -> line.take()).toList();
            assertThat(taken).as("of %s", settings).isEqualTo(all);
        });
    }

    @Test
    void refillsABucketAtItsRateAndChargesOnlyAdmittedRequests() {
        double[] at = {0, 0, 1, 2, 100, 100};
        int[] prompts = {80, 30, 30, 10, 100, 1};
        RequestTrace trace = new RequestTrace(at, prompts, new int[] {1, 1, 1, 1, 1, 1});
        Admission bucket = new TokenBucket.Settings(10, 100).make(clients(trace, new RequestTimeline(6), Map.of()));
        // 100 - 80 = 20 < 30; 20 + 10 = 30; 0 + 10 = 10; full at 100
        boolean[] admitted = {true, false, true, true, true, false};
        for (int i = 0; i < 6; i++) {
            assertThat(bucket.admits(i, at[i], 0)).as("request %d", i).isEqualTo(admitted[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    void limitsConcurrentRequests(int limit) {
        RequestTrace trace = Clusters.requests(200, 30, 0, 3);
        ClusterFigures figures = run(
                both(2, SHORTEST_QUEUE),
                Optional.of(gateway(new AdmitAll.Settings(), new Fifo.Settings(), limit, 0, Map.of())),
                Optional.empty(),
                trace);
        RequestTimeline timeline = figures.timeline;
        int max = 0;
        for (int i = 0; i < 200; i++) {
            double at = timeline.routed[i];
            int there = (int) IntStream.range(0, 200)
                    .filter(j -> timeline.routed[j] <= at && timeline.completed[j] > at)
                    .count();
            max = Math.max(max, there);
            assertThat(i == 0 || timeline.routed[i - 1] <= at)
                    .as("first come, first served")
                    .isTrue();
        }
        assertThat(max).isEqualTo(2 * limit);
    }

    @Test
    void dropsTheLatestRequestOfLowestPriorityWhenTheQueueIsFull() {
        double[] at = new double[60];
        int[] ones = new int[60];
        for (int i = 0; i < 60; i++) {
            at[i] = i * 1e-3;
            ones[i] = 200;
        }
        RequestTrace trace = new RequestTrace(at, ones.clone(), ones);
        Map<String, Tenant> tenants = Map.of("high", tenant(1, 1, 1, 0, 0), "low", tenant(2, 1, 0, 0, 0));
        ClusterFigures figures = run(
                both(1, SHORTEST_QUEUE),
                Optional.of(gateway(new AdmitAll.Settings(), new Priorities.Settings(), 5, 12, tenants)),
                Optional.empty(),
                trace);
        // No request completes within 60 ms. 5 requests run, and the 12 of the rest with the highest priority and
        // earliest arrival stay queued.
        Clients clients = figures.sim.gateway().orElseThrow().clients();
        List<Integer> stay = IntStream.range(5, 60)
                .boxed()
                .sorted(Comparator.comparing(
                                (Integer i) -> -clients.settingsOf(i).priority())
                        .thenComparing(Comparator.naturalOrder()))
                .limit(12)
                .toList();
        for (int i = 0; i < 60; i++) {
            assertThat(figures.timeline.outcome[i])
                    .as("request %d", i)
                    .isEqualTo(i < 5 || stay.contains(i) ? Outcome.COMPLETED : Outcome.SHED);
        }
        assertThat(figures.all()).containsEntry("requests_shed", 43.0);
    }

    @Test
    void rejectsLowPrioritiesUnderLoad() {
        RequestTrace trace = Clusters.requests(300, 40, 0, 3);
        Map<String, Tenant> tenants = Map.of("high", tenant(1, 1, 0, 0, 0), "low", tenant(1, 1, -1, 0, 0));
        ClusterFigures figures = run(
                both(1, SHORTEST_QUEUE),
                Optional.of(gateway(new Saturation.Settings(20), new Fifo.Settings(), 0, 0, tenants)),
                Optional.empty(),
                trace);
        Clients clients = figures.sim.gateway().orElseThrow().clients();
        RequestTimeline timeline = figures.timeline;
        for (int i = 0; i < 300; i++) {
            double at = timeline.arrived[i];
            long there = IntStream.range(0, i)
                    .filter(j -> timeline.isServed(j) && timeline.completed[j] > at)
                    .count();
            boolean isRefused = clients.name(clients.tenant(i)).equals("low") && there >= 20;
            assertThat(timeline.outcome[i]).isEqualTo(isRefused ? Outcome.REFUSED : Outcome.COMPLETED);
        }
        assertThat(figures.count(Outcome.REFUSED)).isPositive();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void cancelsRequestsInAnyState(long seed) {
        cancelRequests(seed);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(longs = {3, 4, 5, 6, 7, 8})
    void cancelsRequestsInAnyStateInMoreRuns(long seed) {
        cancelRequests(seed);
    }

    private static void cancelRequests(long seed) {
        RequestTrace trace = Clusters.requests(300, 18, 5, seed);
        ServingClusterSettings apart = Clusters.cluster(
                Map.of(
                        "p", Clusters.pool(PoolRole.PREFILL, 1, "vllm_v1", 0.3, 64),
                        "d", Clusters.pool(PoolRole.DECODE, 1, "vllm_v1", 0.25, 64)),
                KvCost.Settings.of(1, 16),
                Optional.of(new ServingClusterSettings.Split.LongerThan(300)),
                Clusters.transfer(seed % 2 == 0 ? 0.5 : 20, 20));
        ServingClusterSettings sglang = Clusters.cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, 1, "sglang", 0.25, 64)),
                SHORTEST_QUEUE,
                Optional.empty(),
                Clusters.transfer(1, 0));
        ServingClusterSettings failing = Clusters.with(
                apart,
                Optional.of(new Start(1, 1, 100, Optional.empty(), 1, 1)),
                Optional.of(new FailureSettings.Random(0.005, 2, 3, seed)),
                Optional.empty());
        Map<String, Tenant> tenants = Map.of(
                "first", tenant(1, 1, 0, 0.08, 0),
                "all", tenant(1, 1, 0, 0, 1.5),
                "cancels", new Tenant(1, 1, 0, Optional.empty(), Optional.empty(), 0.8, 2));
        Tiers host = new Tiers(
                Optional.of(new Tiers.Tier(100, 5, 50)), Optional.empty(), Optional.empty(), 0, Optional.empty());
        ServingClusterSettings tiered = Clusters.cluster(
                Map.of("all", Clusters.tiered(Clusters.pool(PoolRole.BOTH, 1, "vllm_v1", 0.25, 64), host)),
                SHORTEST_QUEUE,
                Optional.empty(),
                Clusters.transfer(1, 0));
        for (ServingClusterSettings cluster : List.of(apart, sglang, failing, tiered, both(1, SHORTEST_QUEUE))) {
            GatewaySettings gateway =
                    gateway(new AdmitAll.Settings(), new Deadlines.Settings(), seed % 3 == 0 ? 20 : 0, 0, tenants);
            ClusterFigures figures = run(cluster, Optional.of(gateway), Optional.empty(), trace);
            RequestTimeline timeline = figures.timeline;
            Clients clients = figures.sim.gateway().orElseThrow().clients();
            for (int i = 0; i < 300; i++) {
                String name = clients.name(clients.tenant(i));
                if (timeline.outcome[i] == Outcome.TIMED_OUT) {
                    assertThat(timeline.ended[i] - timeline.arrived[i])
                            .isEqualTo(name.equals("first") ? 0.08 : 1.5, within(1e-9));
                } else if (timeline.isServed(i) && name.equals("first")) {
                    assertThat(timeline.attempts[i] > 0 || timeline.firstToken[i] - timeline.arrived[i] <= 0.08 + 1e-9)
                            .isTrue();
                } else if (timeline.isServed(i) && name.equals("all")) {
                    assertThat(timeline.completed[i] - timeline.arrived[i]).isLessThanOrEqualTo(1.5 + 1e-9);
                } else if (timeline.outcome[i] == Outcome.CANCELLED) {
                    assertThat(timeline.ended[i] - timeline.arrived[i])
                            .isEqualTo(clients.cancelledAfter(i), within(1e-9));
                }
            }
            assertThat(figures.count(Outcome.CANCELLED)).isPositive();
            assertThat(figures.count(Outcome.TIMED_OUT)).isPositive();
            assertThat(figures.count(Outcome.COMPLETED)).isPositive();
        }
    }

    /**
     * Returns conversations of five turns with 300 new prompt and 100 output tokens each, one second between the turns.
     */
    private static RequestTrace conversations(int count) {
        int size = 5 * count;
        double[] at = new double[size];
        int[] prompts = new int[size];
        int[] outputs = new int[size];
        Tokens[] tokens = new Tokens[size];
        for (int i = 0; i < size; i++) {
            int turn = i / count;
            int talk = i % count;
            at[i] = turn + talk * 0.9 / count;
            prompts[i] = 300 + 400 * turn;
            outputs[i] = 100;
            Tokens.Builder output = new Tokens.Builder();
            for (int before = 0; before < turn; before++) {
                output.run(SharedTokens.promptOf(before * count + talk), 300)
                        .run(SharedTokens.outputOf(before * count + talk), 100);
            }
            tokens[i] = output.run(SharedTokens.promptOf(i), 300).then(SharedTokens.outputOf(i));
        }
        return new RequestTrace(at, prompts, outputs, i -> tokens[i]);
    }

    @Test
    void sendsATurnAfterTheGap() {
        RequestTrace trace = conversations(30);
        ClusterFigures figures = run(
                both(3, SHORTEST_QUEUE),
                Optional.empty(),
                Optional.of(new ClosedLoopSessions.Settings(0, 1, 3)),
                trace);
        for (int i = 30; i < 150; i++) {
            assertThat(figures.timeline.arrived[i]).isEqualTo(figures.timeline.completed[i - 30] + 1, within(1e-9));
        }
        ClusterFigures tools = run(
                both(3, SHORTEST_QUEUE),
                Optional.empty(),
                Optional.of(new ClosedLoopSessions.Settings(1, 0.5, 3)),
                trace);
        double sum = 0;
        for (int i = 30; i < 150; i++) {
            sum += tools.timeline.arrived[i] - tools.timeline.completed[i - 30];
        }
        assertThat(sum / 120).isBetween(0.35, 0.65);
    }

    @Test
    void findsCachedTurnsWithSessionAffinity() {
        RequestTrace trace = conversations(60);
        Optional<ClosedLoopSessions.Settings> closed = Optional.of(new ClosedLoopSessions.Settings(0, 1, 3));
        double blind = run(both(4, new RandomChoice.Settings(1)), Optional.empty(), closed, trace)
                .all()
                .get("later_turns_cached_share");
        double affine = run(both(4, new SessionHash.Settings(128)), Optional.empty(), closed, trace)
                .all()
                .get("later_turns_cached_share");
        // The maximum: each turn finds all earlier tokens except the last one, in whole blocks of 16.
        double max = (4 * 400 + 400 * (1 + 2 + 3) - 4 * 16.0) / (4 * 300 + 400 * (1 + 2 + 3 + 4));
        assertThat(affine).isBetween(max - 0.02, (400 * 10.0) / (4 * 300 + 400 * 10));
        assertThat(blind).isLessThan(0.7 * affine);
    }

    @Test
    void abandonsTurnsAfterAFailedOne() {
        RequestTrace trace = conversations(40);
        Map<String, Tenant> tenants = Map.of("x", new Tenant(1, 1, 0, Optional.empty(), Optional.empty(), 0.2, 0.3));
        ClusterFigures figures = run(
                both(1, SHORTEST_QUEUE),
                Optional.of(gateway(new AdmitAll.Settings(), new Fifo.Settings(), 0, 0, tenants)),
                Optional.of(new ClosedLoopSessions.Settings(0, 1, 3)),
                trace);
        for (int i = 40; i < 200; i++) {
            boolean isAfter = !figures.timeline.isServed(i - 40);
            assertThat(figures.timeline.outcome[i] == Outcome.ABANDONED).isEqualTo(isAfter);
        }
        assertThat(figures.count(Outcome.ABANDONED)).isPositive();
    }

    @Test
    void computesJainsFairnessIndex() {
        RequestTrace trace = Clusters.requests(100, 10, 0, 3);
        Map<String, Tenant> tenants = Map.of("a", tenant(9, 1, 0, 0, 0), "b", tenant(1, 1, 0, 0, 0));
        ClusterFigures figures = run(
                both(1, SHORTEST_QUEUE),
                Optional.of(gateway(new AdmitAll.Settings(), new Vtc.Settings(1, 2), 8, 0, tenants)),
                Optional.empty(),
                trace);
        Clients clients = figures.sim.gateway().orElseThrow().clients();
        double[] tokens = new double[2];
        for (int i = 0; i < 100; i++) {
            tokens[clients.tenant(i)] += trace.prefillTokens(i) + trace.decodeTokens(i);
        }
        double sum = tokens[0] + tokens[1];
        assertThat(figures.all().get("fairness"))
                .isEqualTo(sum * sum / 2 / (tokens[0] * tokens[0] + tokens[1] * tokens[1]), within(1e-12));
        assertThat(Clusters.report(Clusters.settings(both(1, SHORTEST_QUEUE)), figures)
                        .report(figures.all())
                        .markdown())
                .contains("Requests by tenant", "| a | ");
    }

    @ParameterizedTest
    @EnumSource(Outcome.class)
    void mapsEveryOutcomeToAStatus(Outcome outcome) {
        assertThat(outcome.status() == RequestStatus.COMPLETED).isEqualTo(outcome == Outcome.COMPLETED);
        assertThat(outcome.status() == RequestStatus.UNFINISHED).isEqualTo(outcome == Outcome.OPEN);
        // Requests that the cluster was too slow for count against it. Requests that their client cancelled do not.
        assertThat(outcome.status() == RequestStatus.CANCELLED).isEqualTo(outcome == Outcome.CANCELLED);
    }

    @Test
    void rejectsSettingsWithoutEffect() {
        AdmissionSettings all = new AdmitAll.Settings();
        Map<String, Tenant> two = Map.of("a", tenant(1, 1, 0, 0, 0), "b", tenant(1, 1, 0, 0, 0));
        Map<GatewaySettings, String> wrong = Map.of(
                gateway(all, new Vtc.Settings(1, 2), 0, 0, two), "order: has no effect: no request waits",
                gateway(all, new Fifo.Settings(), 0, 3, two), "depth: has no effect: no request waits",
                gateway(all, new Vtc.Settings(1, 2), 3, 0, Map.of()), "order: has no effect: there is one tenant",
                gateway(all, new Deadlines.Settings(), 3, 0, two), "order: has no effect: no tenant has a deadline",
                gateway(all, new Priorities.Settings(), 3, 0, two), "order: has no effect: all priorities",
                gateway(new Saturation.Settings(3), new Fifo.Settings(), 3, 0, two),
                        "admission: has no effect: no tenant has a priority below 0");
        wrong.forEach((settings, what) -> assertThat(PoolPlans.problems(Clusters.settings(
                        Clusters.withGateway(both(1, SHORTEST_QUEUE), Optional.of(settings), Optional.empty()))))
                .singleElement()
                .satisfies(problem ->
                        assertThat(problem.where() + ": " + problem.what()).startsWith("cluster.gateway." + what)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void checksConditionsOfWeightsAndCancelTimes(boolean isMet) {
        QueueOrderSettings order = isMet ? new Vtc.Settings(1, 2) : new Fifo.Settings();
        Tenant heavy = new Tenant(1, 2, 0, Optional.empty(), Optional.empty(), isMet ? 0.5 : 0, 20);
        GatewaySettings settings =
                gateway(new AdmitAll.Settings(), order, 3, 0, Map.of("a", heavy, "b", tenant(1, 1, 0, 0, 0)));
        ServingClusterSettings cluster =
                Clusters.withGateway(both(1, SHORTEST_QUEUE), Optional.of(settings), Optional.empty());
        assertThat(Conditions.problems(Clusters.settings(cluster)))
                .extracting(Problem::where)
                .containsExactlyElementsOf(
                        isMet
                                ? List.of()
                                : List.of("cluster.gateway.tenants.a.weight", "cluster.gateway.tenants.a.cancel_s"));
    }

    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(Tenant.DEFAULTS);
        SettingsContract.assertDefaults(new Vtc.Settings(1, 2));
        SettingsContract.assertDefaults(new TokenBucket.Settings(10000, 100000));
        SettingsContract.assertDefaults(new Saturation.Settings(64));
        SettingsContract.assertDefaults(new ClosedLoopSessions.Settings(0, 1, 42));
    }
}
