package dev.stagesim.feature.cluster.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.instance.InstancePerformance;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.scorer.Scorer;
import dev.stagesim.feature.cluster.router.scorer.ScorerWeights;
import dev.stagesim.feature.cluster.router.scorer.Scorers;
import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Compares routers of deployed gateways with worked scores and with simple loops. */
final class DeployedRouterTest {
    private static final int INSTANCES = 4;
    private static final int PROMPT = 640;
    private static final Scorers NONE = ScorerWeights.of();
    private static final LlmD.Affinity ANY = new LlmD.Affinity(0, 18, 15_928);
    private static final LlmD.Affinity DEFAULTS = new LlmD.Affinity(0.8, 18, 15_928);

    /** Requests of 640 tokens. Requests with the same tens digit share the first 320 tokens. */
    private final RequestTrace trace = new RequestTrace(
                    new double[40], same(PROMPT), same(20), request -> new Tokens.Builder()
                            .run(1_000_000L * (request / 10), 320)
                            .run((1L << 40) + 100_000L * request, 320)
                            .then((1L << 50) + 100_000L * request))
            .labelled(request -> request < 30 ? 0 : request % 10, request -> 0);

    private final Signals signals = Signals.fresh(INSTANCES);
    private final RoutingGroup group = group(2);

    private static int[] same(int value) {
        int[] all = new int[40];
        Arrays.fill(all, value);
        return all;
    }

    private RoutingGroup group(int slots) {
        long[] caches = new long[INSTANCES];
        Arrays.fill(caches, 1L << 40);
        int[] adapters = new int[INSTANCES];
        Arrays.fill(adapters, slots);
        return RoutingGroups.of(PoolRole.BOTH, new Prompts(trace), caches, adapters, signals);
    }

    private static Router llmD(RoutingGroup group, LlmD.Affinity affinity, Scorers scorers) {
        return new LlmD.Settings(affinity, scorers, LlmD.Picker.MAX_SCORE, 64, 42).over(group);
    }

    private List<Double> scores(RouterView view, Scorers settings, int request) {
        view.lookUp(request);
        Scorer scorer = settings.make(view).get(0).scorer();
        scorer.begin(request);
        List<Double> scores = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            scores.add(scorer.score(i));
        }
        return scores;
    }

    @Test
    void computesScoresByTheirFormulas() {
        RouterView view = new RouterView(group, 64);
        double[] waiting = {0, 4, 2, 1};
        double[] usage = {0.5, 0.25, 1, 0};
        for (int i = 0; i < INSTANCES; i++) {
            signals.set(i, Signals.WAITING, 0, waiting[i]);
            signals.set(i, Signals.RUNNING, 0, 3);
            signals.set(i, Signals.KV_USAGE, 0, usage[i]);
        }
        view.sent(0, 2, true);
        view.sent(1, 2, true);
        view.sent(20, 1, true);
        view.prefilled(20, 1);
        assertThat(scores(view, ScorerWeights.of("prefixCache", 1.0), 3)).containsExactly(0.0, 0.0, 0.5, 0.0);
        assertThat(scores(view, ScorerWeights.of("prefixCache", 1.0), 1)).containsExactly(0.0, 0.0, 1.0, 0.0);
        double length = 320.0 / 8192;
        assertThat(scores(
                                view,
                                ScorerWeights.of(
                                        "prefixCache",
                                        1.0,
                                        "prefixCache.matchLengthWeight",
                                        0.25,
                                        "tokenLoad.tokenSaturation",
                                        1L),
                                3)
                        .get(2))
                .isCloseTo(0.25 * length * length + 0.75 * 0.5, within(1e-15));
        assertThat(scores(view, ScorerWeights.of("kvCacheUtilization", 1.0), 3)).containsExactly(0.5, 0.75, 0.0, 1.0);
        assertThat(scores(view, ScorerWeights.of("queue", 1.0), 3)).containsExactly(1.0, 0.0, 0.5, 0.75);
        assertThat(scores(view, ScorerWeights.of("runningRequests", 1.0), 3)).containsExactly(1.0, 1.0, 1.0, 1.0);
        assertThat(scores(view, ScorerWeights.of("loadAware", 1.0), 3))
                .containsExactly(0.5, 0.5 * (1 - 4 / 128.0), 0.5 * (1 - 2 / 128.0), 0.5 * (1 - 1 / 128.0));
        assertThat(scores(view, ScorerWeights.of("activeRequest", 1.0), 3)).containsExactly(1.0, 0.5, 0.0, 1.0);
        // In flight on 2: 640 tokens, and 320 tokens that its second request did not find. This request would add 320.
        assertThat(scores(view, ScorerWeights.of("tokenLoad", 1.0, "tokenLoad.tokenSaturation", 2000L), 3))
                .containsExactly(1 - 640 / 2000.0, 1 - 640 / 2000.0, 1 - 1280 / 2000.0, 1 - 640 / 2000.0);
    }

    @Test
    void scoresSessionsAdaptersAndColdRequests() {
        RouterView view = new RouterView(group, 64);
        view.lookUp(1);
        Scorer session =
                ScorerWeights.of("sessionAffinity", 1.0).make(view).get(0).scorer();
        session.sent(1, 3);
        session.begin(1);
        assertThat(session.score(3)).isEqualTo(1);
        assertThat(session.score(0)).isZero();
        Scorer lora = ScorerWeights.of("loraAffinity", 1.0).make(view).get(0).scorer();
        for (int request : new int[] {31, 32, 33}) {
            lora.sent(request, 0);
        }
        lora.sent(31, 1);
        lora.begin(31);
        assertThat(lora.score(0)).isEqualTo(1);
        assertThat(lora.score(2)).isEqualTo(0.8);
        lora.begin(33);
        assertThat(lora.score(0)).isEqualTo(0.6);
        lora.begin(34);
        assertThat(lora.score(0)).isZero();
        assertThat(lora.score(1)).isEqualTo(0.8);
        lora.done(31, 0);
        lora.begin(33);
        assertThat(lora.score(0)).isEqualTo(1);
        Scorer cold = ScorerWeights.of("noHitLru", 1.0).make(view).get(0).scorer();
        cold.sent(1, 2);
        cold.sent(1, 0);
        cold.begin(1);
        assertThat(List.of(cold.score(1), cold.score(3), cold.score(2), cold.score(0)))
                .containsExactly(1.0, 1 - 1 / 3.0, 1 - 2 / 3.0, 0.0);
        view.sent(1, 2, true);
        view.lookUp(2);
        cold.begin(2);
        assertThat(cold.score(0)).isEqualTo(0.5);
    }

    /**
     * The default of August 2026: among instances with at least 80 % of the prompt cached, the one with the lowest load
     * in tokens.
     */
    @Test
    void prefersThePrefixUnlessTheWaitIsTooLong() {
        Router router = llmD(group, DEFAULTS, ScorerWeights.of("tokenLoad", 1.0));
        Router impatient = llmD(group, new LlmD.Affinity(0.8, 0.05, 15_928), ScorerWeights.of("tokenLoad", 1.0));
        for (Router one : List.of(router, impatient)) {
            one.sent(1, 2, true);
            one.prefilled(1, 2);
        }
        assertThat(router.choose(1, true)).isEqualTo(2);
        for (int other = 11; other < 14; other++) {
            for (Router one : List.of(router, impatient)) {
                one.sent(other, 2, true);
            }
        }
        // 640 and twice 320 tokens take 0.08 s at 15,928 tokens per second.
        assertThat(router.choose(1, true)).isEqualTo(2);
        assertThat(impatient.choose(1, true)).isNotEqualTo(2);
    }

    @Test
    void drawsAmongEqualScoresAndAddsWeights() {
        Router router = llmD(group, ANY, ScorerWeights.of("activeRequest", 1.0));
        int[] counts = new int[INSTANCES];
        for (int i = 0; i < 4000; i++) {
            counts[router.choose(1, true)]++;
        }
        assertThat(Arrays.stream(counts).allMatch(count -> count > 900 && count < 1100))
                .isTrue();
        signals.set(0, Signals.WAITING, 0, 10);
        Scorers both = ScorerWeights.of("prefixCache", 2.0, "queue", 1.0, "tokenLoad.tokenSaturation", 1L);
        Router weighed = llmD(group, ANY, both);
        weighed.sent(0, 0, true);
        // Half of the prompt with weight 2 equals an empty queue with weight 1.
        Set<Integer> chosen = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            chosen.add(weighed.choose(1, true));
        }
        assertThat(chosen).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(weighed.choose(0, true)).isZero();
    }

    @Test
    void drawsInProportionToScores() {
        Router router = new LlmD.Settings(
                        ANY, ScorerWeights.of("kvCacheUtilization", 1.0), LlmD.Picker.WEIGHTED_RANDOM, 64, 7)
                .over(group);
        double[] usage = {0.2, 0.6, 1, 1};
        for (int i = 0; i < INSTANCES; i++) {
            signals.set(i, Signals.KV_USAGE, 0, usage[i]);
        }
        int[] counts = new int[INSTANCES];
        for (int i = 0; i < 6000; i++) {
            counts[router.choose(1, true)]++;
        }
        assertThat(counts[0]).isBetween(3800, 4200);
        assertThat(counts[1]).isBetween(1800, 2200);
    }

    @Test
    void choosesTheMinimumMetricWithAibrix() {
        double[][] served = {{1, 2, 4, 1000, 100}, {0.5, 1, 8, 1000, 400}, {1, 1, 1, 100, 10}, {0, 0, 0, 0, 0}};
        for (int i = 0; i < INSTANCES; i++) {
            for (int kind = 0; kind < 5; kind++) {
                signals.set(i, Signals.QUEUE_S + kind, 0, served[i][kind]);
            }
            signals.set(i, Signals.COMPLETED, 0, i == 3 ? 0 : 1);
            signals.set(i, Signals.KV_USAGE, 0, new double[] {0.3, 0.2, 0.1, 0.4}[i]);
        }
        RoutingGroup three = group(2);
        three.members().close(3);
        assertThat(aibrix(three, Aibrix.Policy.LEAST_KV_CACHE)).isEqualTo(2);
        assertThat(aibrix(three, Aibrix.Policy.THROUGHPUT)).isEqualTo(2);
        // Average prompts of 700 and outputs of 170 tokens: 1 + 1.4 + 6.8, 0.5 + 0.7 + 3.4, 1 + 7 + 17.
        assertThat(aibrix(three, Aibrix.Policy.LEAST_LATENCY)).isEqualTo(1);
        three.members().open(3);
        assertThat(aibrix(three, Aibrix.Policy.LEAST_LATENCY)).isEqualTo(3);
        Router min = new Aibrix.Settings(Aibrix.Policy.LEAST_REQUEST, 1).over(three);
        for (int i = 0; i < 3; i++) {
            min.sent(i, i, true);
        }
        assertThat(min.choose(5, true)).isEqualTo(3);
        min.sent(5, 3, true);
        min.done(1, 1, true);
        assertThat(min.choose(6, true)).isEqualTo(1);
    }

    private static int aibrix(RoutingGroup group, Aibrix.Policy policy) {
        return new Aibrix.Settings(policy, 1).over(group).choose(0, true);
    }

    @Test
    void followsPrefixesWithinThresholdsWithAibrix() {
        Router router = new AibrixPrefix.Settings(3, 1, 64, 5).over(group);
        router.sent(1, 2, true);
        // One request exceeds the mean of 0.25 plus the deviation of 0.43.
        assertThat(router.choose(2, true)).isNotEqualTo(2);
        router.sent(11, 0, true);
        router.sent(21, 1, true);
        router.sent(31, 3, true);
        assertThat(router.choose(2, true)).isEqualTo(2);
        router.sent(2, 2, true);
        assertThat(router.choose(3, true)).isNotEqualTo(2);
        router.sent(12, 0, true);
        router.sent(22, 1, true);
        router.sent(32, 3, true);
        assertThat(router.choose(3, true)).isEqualTo(2);
        for (int i = 0; i < 3; i++) {
            router.sent(12, 0, true);
        }
        router.done(31, 3, true);
        // Loads of 5 and 1: only instances with the lowest load are candidates.
        assertThat(router.choose(3, true)).isEqualTo(3);
    }

    @Test
    void followsPrefixesAtAnyLoadWithTheProductionStack() {
        Router router = new ProductionPrefix.Settings(0, 32, 60, 5).over(group);
        router.sent(1, 2, true);
        for (int i = 2; i < 9; i++) {
            assertThat(router.choose(i, true)).isEqualTo(2);
            router.sent(i, 2, true);
        }
        Router strict = new ProductionPrefix.Settings(321, 32, 60, 5).over(group);
        strict.sent(1, 0, true);
        assertThat(strict.choose(2, true)).isEqualTo(1);
        strict.sent(2, 1, true);
        assertThat(strict.choose(1, true)).isZero();
        signals.look(61);
        assertThat(strict.choose(3, true)).isZero();
        Router kv = new ProductionKv.Settings(320, 16, 16).over(group);
        Router hash = new SessionHash.Settings(16).over(group);
        assertThat(kv.choose(2, true)).isEqualTo(hash.choose(2, true));
        int elsewhere = (hash.choose(2, true) + 1) % INSTANCES;
        kv.sent(1, elsewhere, true);
        assertThat(kv.choose(2, true)).isEqualTo(elsewhere);
        Router all = new ProductionKv.Settings(319, 16, 16).over(group);
        all.sent(1, elsewhere, true);
        assertThat(all.choose(2, true)).isEqualTo(hash.choose(2, true));
    }

    /** Compares with a loop over all instances. */
    @Test
    void matchesALoopForTheGatewayOfSglang() {
        RequestTrace mixed = Clusters.requests(500, 10, 5, 3);
        Prompts prompts = new Prompts(mixed);
        long[] caches = new long[INSTANCES];
        Arrays.fill(caches, 1L << 40);
        Router router = new CacheAware.Settings(0.5, 6, 1.5, 16).over(RoutingGroups.of(PoolRole.BOTH, prompts, caches));
        List<Set<Long>> trees = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            trees.add(new HashSet<>());
        }
        int[] loads = new int[INSTANCES];
        int[] how = new int[3];
        List<int[]> running = new ArrayList<>();
        RandomStream random = RandomStream.of(8, "ends");
        for (int request = 0; request < 500; request++) {
            int min = 0;
            int max = 0;
            int best = 0;
            int[] found = new int[INSTANCES];
            long[] chunks = prompts.chunks(request, 16, Integer.MAX_VALUE);
            for (int i = 0; i < INSTANCES; i++) {
                min = loads[i] < loads[min] ? i : min;
                max = Math.max(max, loads[i]);
                while (found[i] < chunks.length && trees.get(i).contains(chunks[found[i]])) {
                    found[i]++;
                }
                best = found[i] > found[best] ? i : best;
            }
            boolean isUneven = max - loads[min] > 6 && max > 1.5 * loads[min];
            boolean isFound =
                    Math.min(16 * found[best], prompts.promptTokens(request)) > 0.5 * prompts.promptTokens(request);
            how[isUneven ? 0 : isFound ? 1 : 2]++;
            int chosen = router.choose(request, true);
            if (isUneven || !isFound) {
                assertThat(chosen).as("of %d", request).isEqualTo(min);
            } else {
                assertThat(found[chosen]).as("of %d", request).isEqualTo(found[best]);
            }
            router.sent(request, chosen, true);
            loads[chosen]++;
            Arrays.stream(chunks).forEach(trees.get(chosen)::add);
            running.add(new int[] {request, chosen});
            while (running.size() > 20 || (!running.isEmpty() && random.below(2) == 0)) {
                int[] end = running.remove((int) random.below(running.size()));
                router.done(end[0], end[1], true);
                loads[end[1]]--;
            }
        }
        assertThat(how).doesNotContain(0);
    }

    @Test
    void hasAWeightForEveryScorer() {
        assertThat(NONE.isAny()).isFalse();
        Set<String> read = Set.of("kvCacheUtilization", "queue", "runningRequests", "loadAware");
        for (String name :
                List.of("prefixCache", "activeRequest", "tokenLoad", "sessionAffinity", "loraAffinity", "noHitLru")) {
            assertThat(ScorerWeights.of(name, 1.0).readsSignals()).as(name).isFalse();
            assertThat(ScorerWeights.of(name, 1.0).make(new RouterView(group, 64)))
                    .as(name)
                    .hasSize(1);
        }
        for (String name : read) {
            assertThat(ScorerWeights.of(name, 1.0).readsSignals()).as(name).isTrue();
            assertThat(ScorerWeights.of(name, 1.0).make(new RouterView(group, 64)))
                    .as(name)
                    .hasSize(1);
        }
    }

    private static ServingClusterSettings four(RouterSettings router) {
        return Clusters.cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, 4)), router, Optional.empty(), Clusters.transfer(1, 0));
    }

    private static LlmD.Settings precise() {
        return new LlmD.Settings(
                ANY,
                ScorerWeights.of("prefixCache", 2.0, "kvCacheUtilization", 1.0, "queue", 1.0),
                LlmD.Picker.MAX_SCORE,
                64,
                42);
    }

    @Test
    void raisesHitsByPrefixesAndSlowsDownWithOldSignals() {
        RequestTrace shared = Clusters.requests(600, 30, 40, 12);
        double blind = Clusters.run(four(new RoundRobin.Settings()), shared).hitShare();
        for (RouterSettings router : List.of(
                precise(),
                new LlmD.Settings(DEFAULTS, ScorerWeights.of("tokenLoad", 1.0), LlmD.Picker.MAX_SCORE, 64, 42),
                new AibrixPrefix.Settings(8, 1, 16, 42),
                new ProductionPrefix.Settings(0, 32, 60, 42),
                new ProductionKv.Settings(2000, 128, 16),
                new CacheAware.Settings(0.5, 32, 1.1, 16))) {
            assertThat(Clusters.run(four(router), shared).hitShare())
                    .as("%s", router)
                    .isGreaterThan(1.04 * blind);
        }
        RequestTrace apart = Clusters.requests(600, 30, 0, 12);
        double fresh = Clusters.run(four(precise()), apart).all().get("ttft_p99_ms");
        double old = Clusters.run(Clusters.scraped(four(precise()), new Signals.Settings(2000, 0)), apart)
                .all()
                .get("ttft_p99_ms");
        assertThat(old).isGreaterThan(1.3 * fresh);
        // Metrics scraped every microsecond are almost current.
        double often = Clusters.run(Clusters.scraped(four(precise()), new Signals.Settings(0.001, 0)), apart)
                .all()
                .get("ttft_p99_ms");
        assertThat(often).isCloseTo(fresh, withinPercentage(5));
    }

    @Test
    void bindsDefaultsAndEveryKey() {
        SettingsContract.assertDefaults(
                new LlmD.Settings(DEFAULTS, ScorerWeights.of("tokenLoad", 1.0), LlmD.Picker.MAX_SCORE, 64, 42));
        SettingsContract.assertEveryKeyNonDefault(new LlmD.Settings(
                new LlmD.Affinity(0.5, 2, 3),
                ScorerWeights.of(
                        "prefixCache",
                        1.0,
                        "prefixCache.matchLengthWeight",
                        0.5,
                        "kvCacheUtilization",
                        2.0,
                        "queue",
                        3.0,
                        "runningRequests",
                        4.0,
                        "loadAware",
                        5.0,
                        "loadAware.queueSaturation",
                        6,
                        "activeRequest",
                        7.0,
                        "activeRequest.idleRequests",
                        8,
                        "activeRequest.maxBusyScore",
                        0.5,
                        "tokenLoad",
                        9.0,
                        "tokenLoad.tokenSaturation",
                        10L,
                        "sessionAffinity",
                        11.0,
                        "loraAffinity",
                        12.0,
                        "noHitLru",
                        13.0,
                        "latency",
                        14.0,
                        "latency.ttftTargetMs",
                        15.0,
                        "latency.tpotTargetMs",
                        16.0,
                        "precisePrefixCache",
                        17.0),
                LlmD.Picker.WEIGHTED_RANDOM,
                16,
                1));
        SettingsContract.assertDefaults(new Aibrix.Settings(Aibrix.Policy.LEAST_REQUEST, 42));
        SettingsContract.assertDefaults(new AibrixPrefix.Settings(8, 1, 16, 42));
        SettingsContract.assertEveryKeyNonDefault(new AibrixPrefix.Settings(7, 2, 8, 1));
        SettingsContract.assertDefaults(new AibrixVtc.Settings(0.5, 0.5, 300, 42));
        SettingsContract.assertEveryKeyNonDefault(new AibrixVtc.Settings(1, 2, 3, 4));
        SettingsContract.assertDefaults(KvCost.DEFAULTS);
        SettingsContract.assertEveryKeyNonDefault(
                new KvCost.Settings(2, 8, 1, 2, 3, 4, new KvCost.Credits(0.5, 0.6, 0.7, 0.8, true)));
        SettingsContract.assertDefaults(new ProductionPrefix.Settings(0, 32, 60, 42));
        SettingsContract.assertEveryKeyNonDefault(new ProductionPrefix.Settings(1, 16, 30, 1));
        SettingsContract.assertDefaults(new ProductionKv.Settings(2000, 128, 16));
        SettingsContract.assertEveryKeyNonDefault(new ProductionKv.Settings(1000, 64, 8));
        SettingsContract.assertDefaults(new CacheAware.Settings(0.5, 32, 1.1, 16));
        SettingsContract.assertEveryKeyNonDefault(new CacheAware.Settings(0.4, 16, 1.2, 8));
        SettingsContract.assertDefaults(new Signals.Settings(50, 0));
    }

    @Test
    void rejectsSettingsWithoutEffect() {
        Signals.Settings signals = new Signals.Settings(50, 0);
        assertThat(PoolPlans.problems(Clusters.settings(Clusters.scraped(four(new RoundRobin.Settings()), signals))))
                .singleElement()
                .satisfies(problem -> assertThat(problem.toString()).contains("cluster.signals"));
        assertThat(PoolPlans.problems(Clusters.settings(Clusters.scraped(four(precise()), signals))))
                .isEmpty();
        for (Scorers scorers : List.of(NONE, ScorerWeights.of("loraAffinity", 1.0))) {
            assertThat(PoolPlans.problems(
                            Clusters.settings(four(new LlmD.Settings(ANY, scorers, LlmD.Picker.MAX_SCORE, 64, 42)))))
                    .hasSize(1);
        }
    }

    @Test
    void routesUsersWithMoreTokensToLaterInstances() {
        Router router = new AibrixVtc.Settings(0.5, 0.5, 300, 42).over(group);
        // Each request of a user counts four times 640 tokens.
        for (int i = 0; i < 20; i++) {
            assertThat(router.choose(0, true)).isZero();
        }
        router.sent(0, 0, true);
        // This user's 2,560 tokens divided by the average of 2,560.
        assertThat(router.choose(0, true)).isEqualTo(1);
        assertThat(router.choose(1, true)).isZero();
        signals.look(10);
        for (int i = 0; i < 3; i++) {
            router.sent(0, 0, true);
        }
        router.sent(1, 0, true);
        // 10,240 and 2,560 tokens, each divided by their mean.
        assertThat(router.choose(0, true)).isEqualTo(2);
        assertThat(router.choose(1, true)).isZero();
        // Half of a hundred requests weigh as much as half a step between instances. A full batch outweighs the random
        // part.
        signals.set(2, Signals.RUNNING, 10, 100);
        assertThat(router.choose(0, true)).isEqualTo(1);
        signals.look(301);
        // The first request leaves the window: 7,680 divided by 5,120.
        assertThat(Set.of(1, 2)).contains(router.choose(0, true));
        signals.look(311);
        assertThat(router.choose(0, true)).isZero();
    }

    @Test
    void decaysCreditWithTheBacklogAndSpreadsByTemperature() {
        Router plain = KvCost.Settings.of(1, 16).over(group);
        Router decaying = new KvCost.Settings(1, 16, 0, 2, 0.5, 7, KvCost.Credits.DEFAULTS).over(group);
        Router counting = new KvCost.Settings(1, 16, 1000, 0, 0, 42, KvCost.Credits.DEFAULTS).over(group);
        Router drawing = new KvCost.Settings(1, 16, 0, 0, 0.5, 42, KvCost.Credits.DEFAULTS).over(group);
        for (Router router : List.of(plain, decaying, counting, drawing)) {
            router.sent(0, 1, true);
            router.prefilled(0, 1);
            // Instance 1 has 20 cached blocks and 640 pending tokens. The other instances have no cached blocks.
            router.sent(20, 1, true);
            router.sent(30, 0, true);
            router.sent(31, 2, true);
            router.sent(10, 3, true);
        }
        // Pending plus active blocks: 0 has 40 + 40, 1 has 40 + 80 minus the 20 of its hit.
        assertThat(plain.choose(1, true)).isZero();
        plain.sent(11, 0, true);
        plain.sent(12, 2, true);
        plain.sent(13, 3, true);
        assertThat(plain.choose(1, true)).isEqualTo(1);
        counting.sent(11, 0, true);
        assertThat(counting.choose(1, true)).isEqualTo(2);
        int[] drawn = new int[INSTANCES];
        for (int i = 0; i < 4000; i++) {
            drawn[drawing.choose(1, true)]++;
        }
        // Costs 80, 100, 80, 80: the most expensive instance has e^-2 times the probability of each other one.
        assertThat(drawn[1] / 4000.0).isCloseTo(Math.exp(-2) / (3 + Math.exp(-2)), within(0.01));
        assertThat(drawn[0]).isBetween(1100, 1500);
        decaying.sent(21, 1, true);
        decaying.sent(14, 3, true);
        int third = 0;
        for (int i = 0; i < 40_000; i++) {
            third += decaying.choose(1, true) == 3 ? 1 : 0;
        }
        // Instance 1 has half a prompt more to compute than the minimum, so its credit of 20 blocks decays to 10.
        // Costs 80, 170, 80, 140.
        double part = Math.exp(-60 / 45.0);
        assertThat(third / 40_000.0).isCloseTo(part / (2 + part + Math.exp(-2)), within(0.006));
    }

    /** Prefill takes 1 ms per token, a decode step 10 ms plus 1 ms per request. */
    private static final InstancePerformance PLAIN = new InstancePerformance() {
        @Override
        public double promptSeconds(int tokens) {
            return tokens / 1e3;
        }

        @Override
        public double promptRate(int tokens) {
            return 1000;
        }

        @Override
        public double tpotSeconds(int requests, int context) {
            return 0.01 + requests / 1e3;
        }

        @Override
        public int maxConcurrency(int context) {
            return 100;
        }
    };

    private List<Double> latencyScores(RouterView view, double firstMs, double gapMs, int request) {
        return scores(
                view,
                ScorerWeights.of(
                        "tokenLoad.tokenSaturation",
                        1L,
                        "latency",
                        1.0,
                        "latency.ttftTargetMs",
                        firstMs,
                        "latency.tpotTargetMs",
                        gapMs),
                request);
    }

    @Test
    void packsInstancesThatMeetTheirTargets() {
        RoutingGroup profiled = new RoutingGroup(
                PoolRole.BOTH,
                new Prompts(trace),
                group.cacheTokens(),
                new int[INSTANCES],
                signals,
                List.of(PLAIN, PLAIN, PLAIN, PLAIN));
        RouterView view = new RouterView(profiled, 64);
        view.sent(20, 1, true);
        view.sent(30, 2, true);
        view.sent(10, 2, true);
        view.sent(11, 3, true);
        view.prefilled(11, 3);
        // TTFTs 640, 1280, 1920 and 640 ms; ITLs 11, 12, 13 and 12 ms.
        List<Double> all = latencyScores(view, 2000, 50, 0);
        double[] wanted = {0, 0.5, 1, 0.1};
        for (int i = 0; i < INSTANCES; i++) {
            assertThat(all.get(i)).isCloseTo((100 * wanted[i] + 1) / 101, within(1.01 / 101));
        }
        // Instance 2 misses the target. The slowest instance that meets it scores 1.
        List<Double> strictScores = latencyScores(view, 1500, 50, 0);
        assertThat(strictScores.get(2)).isZero();
        assertThat(strictScores.get(1)).isEqualTo(1);
        // No instance meets the target: an idle one wins, otherwise the busy one that is nearest to it.
        assertThat(latencyScores(view, 100, 50, 0)).containsExactly(1.0, 0.0, 0.0, 0.0);
        view.sent(12, 0, true);
        view.prefilled(12, 0);
        assertThat(latencyScores(view, 1000, 11.5, 0)).containsExactly(1.0, 0.0, 0.0, 1.0);
        assertThat(latencyScores(view, 100, 50, 0).get(2)).isLessThan(0.3);
    }
}
