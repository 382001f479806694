package dev.stagesim.feature.cluster.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.router.view.PrefixIndex;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares routers with simple loops over all instances. */
final class RouterTest {
    private static final int INSTANCES = 7;
    private static final int REQUESTS = 400;
    private static final int BLOCK = 16;
    private static final long ROOM = 1L << 40;

    private final RequestTrace trace = Clusters.requests(REQUESTS, 10, 6, 11);
    private final Prompts prompts = new Prompts(trace);

    private RoutingGroup group() {
        long[] caches = new long[INSTANCES];
        Arrays.fill(caches, ROOM);
        return RoutingGroups.of(PoolRole.BOTH, prompts, caches);
    }

    /** A simple copy of all state that a router may use. */
    private final class Plain {
        final int[] loads = new int[INSTANCES];
        final long[] pending = new long[INSTANCES];
        final long[] active = new long[INSTANCES];
        final List<Set<Long>> caches = new ArrayList<>();

        Plain() {
            for (int i = 0; i < INSTANCES; i++) {
                caches.add(new HashSet<>());
            }
        }

        int hit(int request, int instance) {
            int blocks = 0;
            for (long key : prompts.blocks(request, prompts.promptTokens(request) - 1, BLOCK)) {
                if (!caches.get(instance).contains(key)) {
                    break;
                }
                blocks++;
            }
            return blocks * BLOCK;
        }

        void put(int request, int tokens, int instance) {
            for (long key : prompts.blocks(request, tokens, BLOCK)) {
                caches.get(instance).add(key);
            }
        }

        int min() {
            int best = 0;
            for (int i = 1; i < INSTANCES; i++) {
                best = loads[i] < loads[best] ? i : best;
            }
            return best;
        }

        int prefix(int request) {
            double mean = (double) Arrays.stream(loads).sum() / INSTANCES;
            int best = 0;
            double max = Double.NEGATIVE_INFINITY;
            for (int i = 0; i < INSTANCES; i++) {
                double score = 2.0 * hit(request, i) / prompts.promptTokens(request) - 1.0 * loads[i] / (1 + mean);
                if (score > max) {
                    max = score;
                    best = i;
                }
            }
            return best;
        }

        int cost(int request) {
            int best = 0;
            double min = Double.POSITIVE_INFINITY;
            for (int i = 0; i < INSTANCES; i++) {
                double cost = (double) (pending[i] - hit(request, i)) / BLOCK + active[i];
                if (cost < min) {
                    min = cost;
                    best = i;
                }
            }
            return best;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"least", "prefix", "cost"})
    void matchesASimpleLoop(String kind) {
        RouterSettings settings =
                switch (kind) {
                    case "least" -> new LeastOutstanding.Settings();
                    case "prefix" -> new PrefixRouter.Settings(2, 1, BLOCK);
                    default -> KvCost.Settings.of(1, BLOCK);
                };
        Router router = settings.over(group());
        Plain plain = new Plain();
        RandomStream random = RandomStream.of(5, "mix");
        List<int[]> running = new ArrayList<>();
        int[] counts = new int[INSTANCES];
        for (int request = 0; request < REQUESTS; request++) {
            int chosen = router.choose(request, true);
            int wanted =
                    switch (kind) {
                        case "least" -> plain.min();
                        case "prefix" -> plain.prefix(request);
                        default -> plain.cost(request);
                    };
            assertThat(chosen).as("instance of %d", request).isEqualTo(wanted);
            counts[chosen]++;
            int missing = prompts.promptTokens(request) - plain.hit(request, chosen);
            router.sent(request, chosen, true);
            plain.loads[chosen]++;
            plain.pending[chosen] += missing;
            plain.active[chosen] += (prompts.promptTokens(request) + BLOCK - 1) / BLOCK;
            plain.put(request, prompts.promptTokens(request), chosen);
            running.add(new int[] {request, chosen, missing, 0});
            while (!running.isEmpty() && random.below(3) > 0) {
                step(router, plain, running, (int) random.below(running.size()));
            }
        }
        assertThat(counts).doesNotContain(0);
    }

    /** Records the first token or the end of a request. */
    private void step(Router router, Plain plain, List<int[]> running, int at) {
        int[] one = running.get(at);
        if (one[3] == 0) {
            router.prefilled(one[0], one[1]);
            plain.pending[one[1]] -= one[2];
            one[3] = 1;
        } else {
            router.done(one[0], one[1], true);
            plain.loads[one[1]]--;
            plain.active[one[1]] -= (prompts.promptTokens(one[0]) + BLOCK - 1) / BLOCK;
            plain.put(one[0], prompts.promptTokens(one[0]) + trace.decodeTokens(one[0]) - 1, one[1]);
            running.remove(at);
        }
    }

    @Test
    void choosesTheLowerLoadOfTwoDraws() {
        Router router = new PowerOfTwo.Settings(3).over(group());
        RandomStream same = group().random(3);
        int[] loads = new int[INSTANCES];
        for (int request = 0; request < REQUESTS; request++) {
            int one = (int) same.below(INSTANCES);
            int other = (int) same.below(INSTANCES - 1);
            other += other < one ? 0 : 1;
            int chosen = router.choose(request, true);
            assertThat(chosen).isEqualTo(loads[other] < loads[one] ? other : one);
            router.sent(request, chosen, true);
            loads[chosen]++;
        }
    }

    @Test
    void movesFewSessionsWhenAnInstanceIsAdded() {
        Router router = new SessionHash.Settings(128).over(group());
        Router more =
                new SessionHash.Settings(128).over(RoutingGroups.of(PoolRole.BOTH, prompts, new long[INSTANCES + 1]));
        int moved = 0;
        for (int request = 0; request < REQUESTS; request++) {
            int chosen = router.choose(request, true);
            assertThat(router.choose(request, false)).isEqualTo(chosen);
            int then = more.choose(request, true);
            assertThat(then == chosen || then == INSTANCES).isTrue();
            moved += then == chosen ? 0 : 1;
        }
        assertThat(moved).isBetween(1, REQUESTS / 3);
    }

    @Test
    void routesASessionToTheNextPointOfTheRing() {
        Router router = new SessionHash.Settings(5).over(group());
        for (int request = 0; request < REQUESTS; request++) {
            long at = SessionHash.hash(prompts.session(request));
            long best = Long.MAX_VALUE;
            long min = Long.MAX_VALUE;
            int next = -1;
            int first = -1;
            for (int point = 0; point < 5 * INSTANCES; point++) {
                long hash = SessionHash.hash(((long) (point / 5) << 32) | (point % 5));
                if (hash >= at && hash <= best) {
                    best = hash;
                    next = point / 5;
                }
                if (hash <= min) {
                    min = hash;
                    first = point / 5;
                }
            }
            assertThat(router.choose(request, true)).isEqualTo(next < 0 ? first : next);
        }
    }

    @Test
    void evictsTheEndsOfOldPromptsFirst() {
        long[] caches = new long[INSTANCES];
        Arrays.fill(caches, 40L * BLOCK);
        PrefixIndex index = new PrefixIndex(RoutingGroups.of(PoolRole.BOTH, prompts, caches), BLOCK);
        int request = 0;
        while (prompts.promptTokens(request) < 50 * BLOCK) {
            request++;
        }
        index.sent(request, 3);
        index.lookUp(request);
        assertThat(index.found()).isEqualTo(1);
        assertThat(index.instance(0)).isEqualTo(3);
        assertThat(index.tokens(0)).isEqualTo(40 * BLOCK);
    }
}
