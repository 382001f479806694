package dev.stagesim.feature.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.feature.cluster.ClusterSimSettings;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.cache.Tiers.Tier;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LlmD;
import dev.stagesim.feature.cluster.router.PrefixRouter;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.Router;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.router.RoutingGroups;
import dev.stagesim.feature.cluster.router.scorer.ScorerWeights;
import dev.stagesim.feature.cluster.router.view.PrefixIndex;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Precision;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Events that routers receive from caches, and their times, in worked examples and in runs. */
final class KvEventBusTest {
    private static final KvEventBus.Settings AT_ONCE = new KvEventBus.Settings(0, 0, 42);
    private static final int PROMPT = 160;

    private double now;

    /** Requests of ten blocks. Requests with the same tens digit have the same prompt. */
    private final RequestTrace trace =
            new RequestTrace(new double[40], same(PROMPT), same(20), request -> new Tokens.Builder()
                    .run(1_000_000L * (request / 10), PROMPT)
                    .then((1L << 50) + request * 1000L));

    private static int[] same(int value) {
        int[] all = new int[40];
        Arrays.fill(all, value);
        return all;
    }

    private KvEventBus kvEvents(KvEventBus.Settings settings, int size) {
        return new KvEventBus(settings, new Prompts(trace), size, RandomStream.of(1, "news"), () -> now);
    }

    private static int blocks(PrefixIndex index, int request, int instance) {
        index.lookUp(request);
        return IntStream.range(0, index.found())
                .filter(i -> index.instance(i) == instance)
                .map(index::blocks)
                .findFirst()
                .orElse(0);
    }

    private PrefixIndex index(KvEventBus kvEvents, int size) {
        return new PrefixIndex(
                RoutingGroups.of(PoolRole.BOTH, new Prompts(trace), new long[size])
                        .following(kvEvents),
                64);
    }

    @Test
    void appliesEventsAfterTheDelayAndDropsThemWithTheInstance() {
        KvEventBus kvEvents = kvEvents(new KvEventBus.Settings(1500, 0, 42), 70);
        KvEventBus.Publisher sender = kvEvents.publisher(66, KvEventBus.DEVICE);
        sender.begins(16, 16);
        PrefixIndex index = index(kvEvents, 70);
        long[] keys = kvEvents.keys(0);
        assertThat(keys).hasSize(10);
        now = 1;
        for (long key : keys) {
            sender.stored(key);
        }
        now = 2.4;
        assertThat(blocks(index, 3, 66)).isZero();
        now = 2.5;
        // All blocks except the one with the last token, which is always computed.
        assertThat(blocks(index, 3, 66)).isEqualTo(9);
        assertThat(index.tokens(0)).isEqualTo(144);
        assertThat(blocks(index, 13, 66)).isZero();
        sender.removed(keys[4]);
        now = 3.9;
        assertThat(blocks(index, 3, 66)).isEqualTo(9);
        now = 4;
        assertThat(blocks(index, 3, 66)).isEqualTo(4);
        sender.stored(keys[4]);
        sender.begins(16, 16);
        now = 9;
        assertThat(blocks(index, 3, 66)).isZero();
        assertThat(kvEvents.sent).isEqualTo(3);
    }

    @Test
    void losesWholeMessages() {
        KvEventBus kvEvents = kvEvents(new KvEventBus.Settings(0, 0.25, 42), 1);
        KvEventBus.Publisher sender = kvEvents.publisher(0, KvEventBus.DEVICE);
        sender.begins(16, 16);
        int found = 0;
        for (int i = 0; i < 4000; i++) {
            now = i;
            sender.stored(2L * i);
            sender.stored(2L * i + 1);
            kvEvents.applyEvents();
            assertThat(kvEvents.holders().containsKey(2L * i))
                    .isEqualTo(kvEvents.holders().containsKey(2L * i + 1));
            found += kvEvents.holders().containsKey(2L * i) ? 1 : 0;
        }
        assertThat(kvEvents.lost).isEqualTo(4000 - found);
        assertThat(found / 4000.0).isCloseTo(0.75, within(0.02));
    }

    @Test
    void continuesInTheNextTier() {
        KvEventBus kvEvents = kvEvents(AT_ONCE, 2);
        long[] keys = new Prompts(trace).blocks(0, PROMPT - 1, 16);
        int[][] has = {{2, 3, 6}, {5, 8}, {2, 3, 4}};
        for (int tier = 0; tier < has.length; tier++) {
            KvEventBus.Publisher sender = kvEvents.publisher(tier == 2 ? 0 : 1, tier + 1);
            Arrays.stream(has[tier]).forEach(block -> sender.stored(keys[block]));
        }
        kvEvents.hasTiers(1, 0);
        kvEvents.applyEvents();
        int[] behind = new int[3];
        kvEvents.lowerTierTokens(5, 1, 32, behind);
        assertThat(behind).containsExactly(32, 0, 48);
        kvEvents.lowerTierTokens(5, 1, 80, behind);
        assertThat(behind).containsExactly(0, 16, 0);
        kvEvents.lowerTierTokens(5, 1, 24, behind);
        assertThat(behind).containsExactly(0, 0, 0);
    }

    @Test
    void appliesTheCreditOfEachTier() {
        KvEventBus kvEvents = kvEvents(AT_ONCE, 3);
        RoutingGroup group =
                RoutingGroups.of(PoolRole.BOTH, new Prompts(trace), new long[3]).following(kvEvents);
        long[] keys = new Prompts(trace).blocks(0, PROMPT - 1, 16);
        KvEventBus.Publisher device = kvEvents.publisher(0, KvEventBus.DEVICE);
        device.begins(16, 16);
        kvEvents.keys(0);
        Arrays.stream(kvEvents.keys(0)).limit(4).forEach(device::stored);
        // 4 blocks on the device of 0, 6 in the host memory of 1, 9 on the disk of 2.
        KvEventBus.Publisher host = kvEvents.publisher(1, 1);
        KvEventBus.Publisher ssd = kvEvents.publisher(2, 2);
        Arrays.stream(keys).limit(6).forEach(host::stored);
        Arrays.stream(keys).limit(9).forEach(ssd::stored);
        for (int seat = 0; seat < 3; seat++) {
            kvEvents.hasTiers(seat, 0);
        }
        assertThat(choice(group, KvCost.Credits.DEFAULTS)).isEqualTo(1); // 4, 4.5 and 2.25
        assertThat(choice(group, new KvCost.Credits(1, 0.5, 0.25, 0.5, false))).isZero();
        assertThat(choice(group, new KvCost.Credits(1, 0.5, 0.5, 0.5, false))).isEqualTo(2);
        KvEventBus.Publisher store = kvEvents.publisher(0, 3);
        Arrays.stream(keys).forEach(store::stored);
        // All instances share the store: 0 finds 5 blocks there after its own, 1 and 2 find all 9. Credit is limited
        // to the missing blocks.
        assertThat(choice(group, new KvCost.Credits(1, 0.2, 0.1, 0.3, false))).isZero();
        assertThat(choice(group, new KvCost.Credits(1, 0, 0, 1, false))).isZero();
        assertThat(choice(group, new KvCost.Credits(0.1, 0, 0, 1, false))).isEqualTo(1);
    }

    private static int choice(RoutingGroup group, KvCost.Credits credits) {
        return new KvCost.Settings(1, 16, 0, 0, 0, 42, credits).over(group).choose(1, true);
    }

    @Test
    void creditsOutputsIfConfigured() {
        KvEventBus kvEvents = kvEvents(AT_ONCE, 2);
        RoutingGroup group = RoutingGroups.of(PoolRole.DECODE, new Prompts(trace), new long[2])
                .following(kvEvents);
        KvEventBus.Publisher device = kvEvents.publisher(1, KvEventBus.DEVICE);
        device.begins(16, 16);
        Arrays.stream(kvEvents.keys(0)).forEach(device::stored);
        KvCost.Credits outputs = new KvCost.Credits(1, 0.75, 0.25, 0.5, true);
        for (boolean isSet : new boolean[] {false, true}) {
            Router router =
                    new KvCost.Settings(1, 16, 0, 0, 0, 42, isSet ? outputs : KvCost.Credits.DEFAULTS).over(group);
            assertThat(router.choose(1, false)).isEqualTo(isSet ? 1 : 0);
            router.sent(20, 1, false);
            // The router counts ten more blocks on 1, and credits nine of them.
            assertThat(router.choose(1, false)).isZero();
        }
    }

    private static ServingClusterSettings cluster(int replicas, double memory, RouterSettings router) {
        Pool pool = Clusters.pool(PoolRole.BOTH, replicas, "vllm_v1", memory, 64);
        return Clusters.cluster(Map.of("all", pool), router, Optional.empty(), Clusters.transfer(1, 0));
    }

    @Test
    void keepsResultsOfRoutersWithoutEvents() {
        RequestTrace requests = Clusters.requests(300, 20, 8, 5);
        ServingClusterSettings plain = cluster(3, 0.26, new PrefixRouter.Settings(0, 1, 16));
        ClusterFigures without = Clusters.run(plain, requests);
        ClusterFigures with = Clusters.run(Clusters.withKvEvents(plain, AT_ONCE), requests);
        assertThat(with.timeline.completed).isEqualTo(without.timeline.completed);
        assertThat(with.timeline.hits).isEqualTo(without.timeline.hits);
        assertThat(with.all().get("kv_event_messages")).isGreaterThan(100);
        assertThat(without.all()).doesNotContainKey("kv_event_messages");
    }

    /** Runs one request at a time in small caches. A router without event delay predicts the cached tokens exactly. */
    @Test
    void predictsCacheHitsExactlyWithoutDelay() {
        RandomStream random = RandomStream.of(9, "groups");
        int size = 400;
        double[] arrivals = IntStream.range(0, size).mapToDouble(i -> 20.0 * i).toArray();
        long[] begins = random(size, random, 60);
        int[] prompts = IntStream.range(0, size)
                .map(i -> 1500 + (int) random.below(1500))
                .toArray();
        int[] outputs =
                IntStream.range(0, size).map(i -> 1 + (int) random.below(200)).toArray();
        RequestTrace requests = new RequestTrace(arrivals, prompts, outputs, request -> new Tokens.Builder()
                .run(begins[request] * 1_000_000, 1400)
                .then((1L << 40) + 100_000L * request));
        for (RouterSettings router : List.of(new PrefixRouter.Settings(2, 1, 16), KvCost.Settings.of(1, 16))) {
            ServingClusterSettings cluster = cluster(2, 0.23, router);
            ClusterFigures exact = Clusters.run(Clusters.withKvEvents(cluster, AT_ONCE), requests);
            Map<String, Double> all = exact.all();
            assertThat(all.get("missed_hit_share")).isZero();
            assertThat(all.get("unexpected_hit_share")).isZero();
            assertThat(all.get("cached_prompt_share")).isBetween(0.05, 0.95);
            KvEventBus.Settings late = new KvEventBus.Settings(60_000, 0, 42);
            assertThat(Clusters.run(Clusters.withKvEvents(cluster, late), requests)
                            .all())
                    .hasEntrySatisfying(
                            "missed_hit_share", share -> assertThat(share).isPositive())
                    .hasEntrySatisfying(
                            "unexpected_hit_share", share -> assertThat(share).isPositive());
            KvEventBus.Settings lossy = new KvEventBus.Settings(0, 1, 42);
            Map<String, Double> nothing = Clusters.run(Clusters.withKvEvents(cluster, lossy), requests)
                    .all();
            assertThat(nothing.get("missed_hit_share")).isZero();
            assertThat(nothing.get("unexpected_hit_share"))
                    .isEqualTo(nothing.get("cached_prompt_share"), within(1e-12));
            assertThat(nothing.get("kv_event_messages_lost")).isEqualTo(nothing.get("kv_event_messages"));
        }
    }

    private static long[] random(int size, RandomStream random, int below) {
        return IntStream.range(0, size).mapToLong(i -> random.below(below)).toArray();
    }

    /** A store publishes its contents through all moves between tiers. */
    @Test
    void publishesTheContentsOfTiers() {
        for (int seed = 0; seed < 5; seed++) {
            RandomStream random = RandomStream.of(seed, "tiers");
            KvEventBus kvEvents = kvEvents(AT_ONCE, 1);
            TierStore lower = new TierStore(7, null);
            TierStore upper = new TierStore(5, lower);
            upper.events = kvEvents.publisher(0, KvEventBus.DEVICE);
            for (int i = 0; i < 3000; i++) {
                long key = random.below(20);
                switch ((int) random.below(5)) {
                    case 0 -> upper.pin(key, i);
                    case 1 -> upper.unpin(key, i);
                    case 2 -> upper.remove(key);
                    default -> upper.put(key, i, random.below(3) == 0 ? i + 9 : i);
                }
                if (random.below(500) == 0) {
                    upper.clear();
                }
                kvEvents.applyEvents();
                for (long one = 0; one < 20; one++) {
                    assertThat(kvEvents.holders().containsKey(one)).isEqualTo(upper.has(one));
                }
            }
        }
    }

    private static ServingClusterSettings tiered(RouterSettings router) {
        Tiers tiers = new Tiers(
                Optional.of(new Tier(8, 20, 50)),
                Optional.empty(),
                Optional.of(new Tier(8, 2, 500)),
                0,
                Optional.empty());
        Pool pool = Clusters.tiered(Clusters.pool(PoolRole.BOTH, 3, "vllm_v1", 0.24, 64), tiers);
        return Clusters.cluster(Map.of("all", pool), router, Optional.empty(), Clusters.transfer(1, 0));
    }

    @Test
    void readsCreditedTiersMoreOften() {
        RequestTrace requests = Clusters.requests(300, 3, 40, 7);
        double with = read(KvCost.Credits.DEFAULTS, requests);
        double without = read(new KvCost.Credits(1, 0, 0, 0, false), requests);
        assertThat(with).isGreaterThan(without);
    }

    private static double read(KvCost.Credits credits, RequestTrace requests) {
        RouterSettings router = new KvCost.Settings(1, 16, 0, 0, 0, 42, credits);
        Map<String, Double> all = Clusters.run(Clusters.withKvEvents(tiered(router), AT_ONCE), requests)
                .all();
        return all.get("host_read_share") + all.get("cached_prompt_share");
    }

    private static List<String> wrong(ServingClusterSettings cluster) {
        return PoolPlans.problems(Clusters.settings(cluster)).stream()
                .map(Problem::where)
                .toList();
    }

    @Test
    void rejectsSettingsWithoutEffect() {
        assertThat(wrong(Clusters.withKvEvents(cluster(2, 0.9, new RoundRobin.Settings()), AT_ONCE)))
                .containsExactly("cluster.kv_events");
        assertThat(wrong(Clusters.withKvEvents(cluster(2, 0.9, new PrefixRouter.Settings(2, 1, 32)), AT_ONCE)))
                .containsExactly("cluster.router.block_tokens");
        Pool sglang = Clusters.pool(PoolRole.BOTH, 2, "sglang", 0.9, 64);
        ServingClusterSettings other = Clusters.cluster(
                Map.of("all", sglang), PrefixRouter.DEFAULTS, Optional.empty(), Clusters.transfer(1, 0));
        assertThat(wrong(Clusters.withKvEvents(other, AT_ONCE))).containsExactly("cluster.kv_events");
        RouterSettings credited = new KvCost.Settings(1, 16, 0, 0, 0, 42, new KvCost.Credits(1, 0.5, 0.5, 0.1, true));
        assertThat(wrong(cluster(2, 0.9, credited)))
                .containsExactly(
                        "cluster.router.credits.host",
                        "cluster.router.credits.ssd",
                        "cluster.router.credits.remote",
                        "cluster.router.credits.outputs");
        assertThat(wrong(Clusters.withKvEvents(tiered(credited), AT_ONCE)))
                .containsExactly("cluster.router.credits.ssd", "cluster.router.credits.outputs");
        RouterSettings precise = new LlmD.Settings(
                new LlmD.Affinity(0, 18, 15_928),
                ScorerWeights.of("precisePrefixCache", 1.0),
                LlmD.Picker.MAX_SCORE,
                64,
                42);
        assertThat(wrong(cluster(2, 0.9, precise))).containsExactly("cluster.router.scorers.precise_prefix_cache");
        assertThat(wrong(Clusters.withKvEvents(cluster(2, 0.9, precise), AT_ONCE)))
                .isEmpty();
    }

    /**
     * Blocks of a hybrid model have as many bytes as a state, so halving the bytes per token doubles the tokens per
     * block.
     */
    @Test
    void rejectsBlocksOfUnequalSize() {
        RequestTrace requests = Clusters.requests(20, 5, 4, 3);
        for (Precision stored : List.of(Precision.BF16, Precision.FP8)) {
            Map<String, Pool> pools = Map.of(
                    "a",
                    Clusters.wide(PoolRole.BOTH, 1, 1, Precision.BF16),
                    "b",
                    Clusters.wide(PoolRole.BOTH, 1, 1, stored));
            ServingClusterSettings quiet =
                    Clusters.cluster(pools, PrefixRouter.DEFAULTS, Optional.empty(), Clusters.transfer(1, 0));
            ClusterSimSettings reported = hybrid(Clusters.withKvEvents(quiet, AT_ONCE));
            if (stored == Precision.BF16) {
                assertThat(Clusters.run(reported, requests).count(RequestTimeline.Outcome.COMPLETED))
                        .isEqualTo(20);
                continue;
            }
            assertThat(Clusters.run(hybrid(quiet), requests).count(RequestTimeline.Outcome.COMPLETED))
                    .isEqualTo(20);
            assertThatThrownBy(() -> Clusters.run(reported, requests))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("cluster.kv_events")
                    .hasMessageContaining("in pool a");
        }
    }

    private static ClusterSimSettings hybrid(ServingClusterSettings cluster) {
        return Clusters.settings(cluster, "nvidia_nvidia_nemotron_nano_9b_v2", "h100");
    }

    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(AT_ONCE);
        SettingsContract.assertDefaults(KvCost.Credits.DEFAULTS);
    }
}
