package dev.stagesim.sim.serving.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.stagesim.sim.serving.request.Tokens;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class RadixTreeTest {
    private static RadixTree.Key key(long... runs) {
        Tokens.Builder builder = new Tokens.Builder();
        for (int i = 0; i < runs.length; i += 2) {
            builder.run(runs[i], (int) runs[i + 1]);
        }
        int length = builder.length();
        return new RadixTree.Key(builder.then(0), length, null);
    }

    private static RadixTree tree(int page, RadixTree.Eviction order) {
        return new RadixTree(page, RadixTree.EvictionRule.of(order, SglangRules.NEWEST));
    }

    private static void insert(RadixTree tree, int slot, int priority, RadixTree.Key key) {
        tree.insert(key, IntStream.range(slot, slot + key.length()).toArray(), priority, 0);
    }

    private static List<Integer> evicted(RadixTree tree, int tokens) {
        List<Integer> first = new ArrayList<>();
        tree.evict(tokens, slots -> first.add(slots[0]));
        return first;
    }

    /** Leaf 100 is used twice more, leaf 200 once more and last, leaf 300 is urgent and never used again. */
    @ParameterizedTest
    @CsvSource({
        "LRU, 300, 100, 200",
        "MRU, 200, 100, 300",
        "LFU, 300, 200, 100",
        "FIFO, 100, 200, 300",
        "FILO, 300, 200, 100",
        "PRIORITY, 100, 200, 300",
        "SLRU, 300, 100, 200",
    })
    void evictsInTheOrderOfTheStrategy(RadixTree.Eviction eviction, int first, int second, int third) {
        RadixTree tree = tree(1, eviction);
        insert(tree, 100, 0, key(1000, 5));
        insert(tree, 200, 0, key(2000, 5));
        insert(tree, 300, 7, key(3000, 5));
        insert(tree, 900, 0, key(1000, 5));
        insert(tree, 900, 0, key(1000, 5));
        insert(tree, 900, 0, key(2000, 5));

        assertThat(evicted(tree, 15)).containsExactly(first, second, third);
        assertThat(tree.evictable()).isZero();
    }

    @Test
    void splitsANodeOnAPartialMatch() {
        RadixTree tree = tree(4, RadixTree.Eviction.LRU);
        insert(tree, 0, 0, key(0, 19));
        RadixTree.Found found = tree.match(key(0, 11, 500, 9));

        assertThat(found.tokens()).isEqualTo(8);
        assertThat(tree.slots(found.node())).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(found.node().children()).singleElement().satisfies(rest -> assertThat(rest.tokens())
                .isEqualTo(8));
        assertThat(tree.evictable()).isEqualTo(16);
    }

    @Test
    void evictsAParentOnlyWithoutChildren() {
        RadixTree tree = tree(1, RadixTree.Eviction.LRU);
        insert(tree, 0, 0, key(0, 4, 100, 2));
        insert(tree, 50, 0, key(0, 4, 200, 2));

        assertThat(evicted(tree, 3)).containsExactly(4, 54);
        assertThat(evicted(tree, 1)).containsExactly(0);
    }

    @Test
    void protectsTheWholePathOfALock() {
        RadixTree tree = tree(1, RadixTree.Eviction.LRU);
        insert(tree, 0, 0, key(0, 4, 100, 2));
        insert(tree, 50, 0, key(0, 4, 200, 2));
        RadixTree.Node node = tree.match(key(0, 4, 200, 2)).node();

        assertThat(tree.lock(node)).isEqualTo(6);
        assertThat(tree.lock(node)).isZero();
        assertThat(tree.evict(100, slots -> {})).isEqualTo(2);
        assertThat(tree.unlock(node)).isZero();
        assertThat(tree.unlock(node)).isEqualTo(6);
        assertThatIllegalStateException().isThrownBy(() -> tree.unlock(node));
    }

    /** Compares with a map from the whole prefix of each cached token to its slot. */
    @ParameterizedTest
    @EnumSource
    void matchesAMapOfPrefixes(RadixTree.Eviction eviction) {
        SplittableRandom random = new SplittableRandom(17);
        for (int page : new int[] {1, 3}) {
            RadixTree tree = tree(page, eviction);
            Map<String, Integer> slots = new HashMap<>();
            List<RadixTree.Node> locks = new ArrayList<>();
            for (int step = 0; step < 4_000; step++) {
                RadixTree.Key key = randomKey(random);
                int whole = key.length() / page * page;
                int known = known(slots, key, whole, page);
                switch (random.nextInt(6)) {
                    case 0, 1 -> {
                        int start = step * 100;
                        int[] given =
                                IntStream.range(start, start + key.length()).toArray();
                        assertThat(tree.insert(key, given, random.nextInt(3), random.nextInt(20)))
                                .isEqualTo(known);
                        for (int i = known; i < whole; i++) {
                            slots.put(token(key, i, page), start + i);
                        }
                    }
                    case 2 -> {
                        int before = tree.locked();
                        RadixTree.Node node = tree.match(key).node();
                        assertThat(tree.lock(node)).isEqualTo(tree.locked() - before);
                        locks.add(node);
                    }
                    case 3 -> {
                        if (!locks.isEmpty()) {
                            tree.unlock(locks.remove(random.nextInt(locks.size())));
                        }
                    }
                    case 4 -> {
                        int max = tree.evictable();
                        int wanted = random.nextInt(30);
                        int count = tree.evict(wanted, freed -> {
                            for (int slot : freed) {
                                assertThat(slots.values().remove(slot)).isTrue();
                            }
                        });
                        assertThat(count).isGreaterThanOrEqualTo(Math.min(wanted, max));
                    }
                    default -> {
                        RadixTree.Found found = tree.match(key);
                        assertThat(found.tokens()).isEqualTo(known);
                        assertThat(tree.slots(found.node()))
                                .containsExactly(IntStream.range(0, known)
                                        .map(i -> slots.getOrDefault(token(key, i, page), -1))
                                        .toArray());
                    }
                }
                assertThat(tree.evictable() + tree.locked()).isEqualTo(slots.size());
                locks.forEach(node -> assertThat(node == tree.root() || (node.locks() > 0 && node.parent() != null))
                        .isTrue());
            }
        }
    }

    private static RadixTree.Key randomKey(SplittableRandom random) {
        Tokens.Builder builder = new Tokens.Builder();
        int parts = 1 + random.nextInt(3);
        for (int i = 0; i < parts; i++) {
            builder.run(10L * random.nextInt(3), 1 + random.nextInt(7));
        }
        int length = builder.length();
        return new RadixTree.Key(builder.then(0), length, random.nextInt(4) == 0 ? "adapter" : null);
    }

    private static int known(Map<String, Integer> slots, RadixTree.Key key, int whole, int page) {
        int known = 0;
        while (known < whole && slots.containsKey(token(key, known, page))) {
            known++;
        }
        return known;
    }

    private static String token(RadixTree.Key key, int at, int page) {
        StringBuilder text = new StringBuilder(at + " of " + key.space());
        for (int i = 0; i < (at / page + 1) * page; i++) {
            text.append(' ').append(key.tokens().at(i));
        }
        return text.toString();
    }

    /** Compares with a search of all leaves after random look-ups, inserts and locks. */
    @ParameterizedTest
    @EnumSource
    void evictsTheFirstOfAllLeaves(RadixTree.Eviction eviction) {
        int evicted = 0;
        for (int seed = 0; seed < 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            RadixTree tree = tree(1 + random.nextInt(3), eviction);
            List<RadixTree.Node> locked = new ArrayList<>();
            for (int turn = 0; turn < 400; turn++) {
                RadixTree.Key key = key(10L * random.nextInt(4), 1 + random.nextInt(9), 1000L * random.nextInt(6), 4);
                switch (random.nextInt(5)) {
                    case 0 -> tree.insert(key, new int[0], random.nextInt(3), random.nextInt(20));
                    case 1 -> {
                        RadixTree.Node node = tree.match(key).node();
                        tree.lock(node);
                        locked.add(node);
                    }
                    case 2 -> {
                        if (!locked.isEmpty()) {
                            tree.unlock(locked.remove(random.nextInt(locked.size())));
                        }
                    }
                    case 3 -> tree.match(key);
                    default -> {
                        RadixTree.Node first = first(tree, eviction);
                        assertThat(tree.evict(1, slots -> {})).isEqualTo(first == null ? 0 : first.tokens());
                        assertThat(first == null ? null : first.parent()).isNull();
                        evicted += first == null ? 0 : 1;
                    }
                }
            }
        }
        assertThat(evicted).isGreaterThan(200);
    }

    private static RadixTree.@Nullable Node first(RadixTree tree, RadixTree.Eviction eviction) {
        List<RadixTree.Node> leaves = new ArrayList<>();
        List<RadixTree.Node> open = new ArrayList<>(tree.root().children());
        while (!open.isEmpty()) {
            RadixTree.Node node = open.remove(open.size() - 1);
            open.addAll(node.children());
            if (node.children().isEmpty() && node.locks() == 0) {
                leaves.add(node);
            }
        }
        ToLongFunction<RadixTree.Node> figure =
                switch (eviction) {
                    case LRU -> node -> node.lastAccess;
                    case MRU -> node -> -node.lastAccess;
                    case LFU -> RadixTree.Node::hits;
                    case FIFO -> node -> node.created;
                    case FILO -> node -> -node.created;
                    case PRIORITY -> RadixTree.Node::priority;
                    case SLRU -> node -> node.hits() >= 2 ? 1 : 0;
                    case TLRU -> node -> node.depth - node.tokens() >= node.history ? -1 : 0;
                };
        return leaves.stream()
                .min(Comparator.comparingLong(figure).thenComparingLong(node -> node.lastAccess))
                .orElse(null);
    }
}
