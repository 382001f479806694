package dev.stagesim.feature.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.autoscaler.Hpa;
import dev.stagesim.feature.cluster.autoscaler.ScalingSettings;
import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Loras;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Start;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Stragglers;
import dev.stagesim.feature.cluster.gateway.GatewaySettings;
import dev.stagesim.feature.cluster.gateway.GatewaySettings.Tenant;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Outcome;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.PrefixRouter;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.router.SessionHash;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of instances in clusters with random combinations of features. Every request ends exactly once. */
final class FailureMixTest {
    private static final int REQUESTS = 60;

    private final Map<String, Integer> features = new TreeMap<>();

    @Test
    void endsEveryRequestOnce() {
        runMixes(10);
    }

    private void runMixes(int seeds) {
        int failures = 0;
        for (int seed = 0; seed < seeds; seed++) {
            failures += run(seed);
        }
        assertThat(failures).isGreaterThan(seeds * 5 / 3);
        assertThat(features).hasSizeGreaterThan(15);
    }

    @Test
    @Tag("long")
    void endsEveryRequestOnceInManyMixes() {
        runMixes(60);
        for (int seed = 1000; seed < 4000; seed++) {
            run(seed);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.0025})
    void rejectsFailuresMoreFrequentThanStarts(double mtbfH) {
        ServingClusterSettings cluster = Clusters.with(
                Clusters.cluster(
                        Map.of("all", Clusters.pool(PoolRole.BOTH, 4)),
                        new LeastOutstanding.Settings(),
                        Optional.empty(),
                        Clusters.transfer(1, 0)),
                Optional.empty(),
                Optional.of(new FailureSettings.Random(mtbfH, 60, 2, 42)),
                Optional.empty());
        assertThat(PoolPlans.problems(Clusters.settings(cluster)))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.where()).isEqualTo("cluster.failures.mtbf_h");
                    assertThat(problem.what()).contains("a start takes");
                });
    }

    private boolean chance(RandomStream random, String feature, double share) {
        boolean isChosen = random.nextDouble() < share;
        if (isChosen) {
            features.merge(feature, 1, Integer::sum);
        }
        return isChosen;
    }

    private static <T> T pick(RandomStream random, List<T> of) {
        return of.get((int) random.below(of.size()));
    }

    /** Serves the requests of a random cluster and returns the number of failed instances. */
    private int run(long seed) {
        RandomStream random = RandomStream.of(seed, "mix");
        boolean hasAdapters = chance(random, "adapters", 0.25);
        boolean hasSpeculation = chance(random, "speculation", 0.25);
        Map<String, Pool> pools = pools(random, hasAdapters, hasSpeculation);
        boolean isApart = pools.containsKey("decode");
        RouterSettings router = router(random);
        Optional<Split> split = isApart ? split(random, pools.containsKey("all")) : Optional.empty();
        ServingClusterSettings cluster =
                Clusters.cluster(pools, router, split, Clusters.transfer(pick(random, List.of(0.5, 50.0)), 50));
        if (router.usesKvEvents() && chance(random, "cache events", 0.5)) {
            cluster = Clusters.withKvEvents(cluster, new KvEventBus.Settings(20, 0.1, 3));
        }
        cluster = Clusters.with(
                cluster,
                Optional.of(new Start(0.2, 0.2, 100, Optional.empty(), 0.2, 0.2)),
                failures(random),
                stragglers(random));
        Optional<ClosedLoopSessions.Settings> sessions = chance(random, "sessions", 0.3)
                ? Optional.of(new ClosedLoopSessions.Settings(0.5, 1, seed))
                : Optional.empty();
        cluster = Clusters.withGateway(cluster, gateway(random), sessions);
        RequestTrace trace = conversations(random, hasAdapters);
        ClusterFigures figures;
        try {
            figures = Clusters.run(cluster, trace);
            figures.all();
        } catch (RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + cluster, e);
        }
        conserved("seed " + seed + ": " + cluster, figures);
        return (int) figures.sim.fleet().changes().stream()
                .filter(change -> change.kind().equals("failed"))
                .count();
    }

    private static void conserved(String what, ClusterFigures figures) {
        RequestTimeline timeline = figures.timeline;
        for (int i = 0; i < timeline.size(); i++) {
            assertThat(timeline.outcome[i]).as(what).isNotEqualTo(Outcome.OPEN);
            assertThat(Double.isNaN(timeline.completed[i]))
                    .as(what)
                    .isEqualTo(timeline.outcome[i] != Outcome.COMPLETED);
            assertThat(Double.isNaN(timeline.ended[i])).as(what).isEqualTo(timeline.outcome[i] == Outcome.COMPLETED);
            assertThat(timeline.preemptions[i]).as(what).isNotNegative();
            if (timeline.isServed(i)) {
                assertThat(timeline.firstToken[i]).as(what).isBetween(timeline.arrived[i], timeline.completed[i]);
            }
        }
        assertThat(figures.instances).allSatisfy(instance -> {
            assertThat(instance.isIdle()).as(what).isTrue();
            assertThat(instance.present).as(what).isZero();
            if (instance.retention != null) {
                assertThat(instance.retention.blockSeconds).as(what).isNotNegative();
            }
        });
    }

    private Map<String, Pool> pools(RandomStream random, boolean hasAdapters, boolean hasSpeculation) {
        Map<String, Pool> pools = new TreeMap<>();
        boolean isApart = chance(random, "prefill and decode pools", 0.5);
        if (isApart) {
            pools.put("prefill", pool(random, PoolRole.PREFILL, hasAdapters, hasSpeculation));
            pools.put("decode", pool(random, PoolRole.DECODE, hasAdapters, hasSpeculation));
        }
        if (!isApart || chance(random, "mixed pool", 0.3)) {
            pools.put("all", pool(random, PoolRole.BOTH, hasAdapters, hasSpeculation));
        }
        return pools;
    }

    private Pool pool(RandomStream random, PoolRole role, boolean hasAdapters, boolean hasSpeculation) {
        Map<String, Object> given = new LinkedHashMap<>();
        given.put("replicas", 1 + (int) random.below(3));
        given.put("maxNumSeqs", Optional.of(2 + (int) random.below(30)));
        given.put("maxNumBatchedTokens", Optional.of(pick(random, List.of(256, 2048))));
        given.put("memoryUtilization", Optional.of(pick(random, List.of(0.26, 0.9))));
        if (chance(random, "retained sessions in " + role, 0.4)) {
            given.put("sessionRetentionS", 5.0);
        }
        if (role != PoolRole.DECODE && chance(random, "tiers in " + role, 0.4)) {
            given.put("tiers", Optional.of(tiers(random)));
        }
        if (chance(random, "scaling of " + role, 0.3)) {
            int minReplicas = (int) given.get("replicas");
            given.put(
                    "scaling",
                    Optional.of(new ScalingSettings(
                            minReplicas,
                            minReplicas + 2,
                            500,
                            KeyRecord.of(Hpa.Settings.class, Map.of("target", 4, "intervalS", 2, "downWindowS", 4)))));
        }
        if (hasAdapters) {
            given.put("loras", Optional.of(new Loras(2, 16)));
        }
        if (hasSpeculation) {
            SchedulerSettings.VllmV1.Speculative drafts = KeyRecord.of(
                    SchedulerSettings.VllmV1.Speculative.class,
                    Map.of("numTokens", 2, "method", Speculation.Method.EAGLE));
            given.put(
                    "scheduler",
                    Optional.of(KeyRecord.of(SchedulerSettings.VllmV1.class, Map.of("speculative", drafts))));
        }
        return KeyRecord.with(Pool.class, Clusters.pool(role, 1), given);
    }

    private Tiers tiers(RandomStream random) {
        Optional<Tiers.Tier> slow = Optional.of(new Tiers.Tier(50, 0.5, 200));
        boolean hasSsd = chance(random, "ssd", 0.5);
        boolean hasRemote = chance(random, "remote", 0.5);
        return new Tiers(
                Optional.of(new Tiers.Tier(4, 20, 50)),
                hasSsd ? slow : Optional.empty(),
                hasRemote ? slow : Optional.empty(),
                chance(random, "tiers that retain", 0.3) ? 5 : 0,
                (hasSsd || hasRemote) && chance(random, "prefetch", 0.5) ? Optional.of(64) : Optional.empty());
    }

    private RouterSettings router(RandomStream random) {
        return switch ((int) random.below(5)) {
            case 0 -> new RoundRobin.Settings();
            case 1 -> PrefixRouter.DEFAULTS;
            case 2 -> KvCost.DEFAULTS;
            case 3 -> new SessionHash.Settings(128);
            default -> new LeastOutstanding.Settings();
        };
    }

    private Optional<Split> split(RandomStream random, boolean hasMixed) {
        if (hasMixed || chance(random, "split by length", 0.3)) {
            return Optional.of(new Split.LongerThan(600));
        }
        return chance(random, "split by what is missing", 0.3) ? Optional.of(new Split.Missing(256)) : Optional.empty();
    }

    private Optional<FailureSettings> failures(RandomStream random) {
        int retries = (int) random.below(4);
        return Optional.of(
                chance(random, "listed failures", 0.3)
                        ? new FailureSettings.Listed(
                                Map.of(
                                        "a", new FailureSettings.Down(0, 3 * random.nextDouble(), 2),
                                        "b", new FailureSettings.Down(0, 6 + random.nextDouble(), 0)),
                                retries)
                        : new FailureSettings.Random(
                                pick(random, List.of(0.001, 0.003)), 1, retries, random.below(1000)));
    }

    private Optional<Stragglers> stragglers(RandomStream random) {
        return chance(random, "stragglers", 0.2) ? Optional.of(new Stragglers(0.5, 3, 1)) : Optional.empty();
    }

    private Optional<GatewaySettings> gateway(RandomStream random) {
        if (!chance(random, "gateway", 0.4)) {
            return Optional.empty();
        }
        Tenant patient = KeyRecord.defaults(Tenant.class);
        Tenant impatient = new Tenant(1, 1, 0, Optional.of(4.0), Optional.of(8.0), 0.4, 2);
        return Optional.of(KeyRecord.of(
                GatewaySettings.class,
                Map.of(
                        "inFlight",
                        chance(random, "limit in flight", 0.5) ? Optional.of(3) : Optional.empty(),
                        "depth",
                        chance(random, "limited queue", 0.3) ? Optional.of(10) : Optional.empty(),
                        "tenants",
                        chance(random, "tenants that give up", 0.6)
                                ? Map.of("a", patient, "b", impatient)
                                : Map.of())));
    }

    /** Every second request continues the one before it, with its prompt and output. */
    private static RequestTrace conversations(RandomStream random, boolean hasAdapters) {
        double[] arrivals = new double[REQUESTS];
        int[] prompts = new int[REQUESTS];
        int[] outputs = new int[REQUESTS];
        Tokens[] tokens = new Tokens[REQUESTS];
        double at = 0;
        for (int i = 0; i < REQUESTS; i++) {
            at += 0.4 * random.nextDouble();
            arrivals[i] = at;
            boolean isSecond = i % 2 == 1;
            prompts[i] = isSecond ? prompts[i - 1] + outputs[i - 1] + 50 : 16 + (int) random.below(1500);
            outputs[i] = 1 + (int) random.below(60);
            tokens[i] = Tokens.from((1L << 33) + 100_000L * (i / 2));
        }
        RequestTrace trace = new RequestTrace(arrivals, prompts, outputs, request -> tokens[request]);
        return hasAdapters ? trace.labelled(request -> request / 2 % 4, request -> 0) : trace;
    }
}
