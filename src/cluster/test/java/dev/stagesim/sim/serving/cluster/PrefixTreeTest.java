package dev.stagesim.sim.serving.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class PrefixTreeTest {
    private static final int A = 0;
    private static final int B = 1;

    private static long[] units(String text) {
        return text.codePoints().asLongStream().toArray();
    }

    @Test
    void countsCharactersNotBytes() {
        PrefixTree tree = new PrefixTree();
        tree.insert(A, units("日本語😀x"));

        assertThat(tree.sizes()).containsEntry(A, 5);
        assertThat(tree.match(units("日本語😀y"))).isEqualTo(new PrefixTree.Found(4, A));
    }

    @Test
    void namesTheWorkerThatMadeTheNode() {
        PrefixTree tree = new PrefixTree();
        tree.insert(A, units("system: you are"));
        tree.insert(B, units("system: be brief"));

        assertThat(tree.match(units("system: you")).worker()).isEqualTo(A);
        assertThat(tree.match(units("system: be")).worker()).isEqualTo(B);
        assertThat(tree.match(units("system")).worker()).isEqualTo(A);
        assertThat(tree.match(B, units("system: you"))).isEqualTo(8);
        tree.remove(A);
        assertThat(tree.match(units("system: you"))).isEqualTo(new PrefixTree.Found(8, B));
        assertThat(tree.sizes()).containsOnlyKeys(B);
    }

    @Test
    void evictsTheLeastRecentlyUsedLeaf() {
        PrefixTree tree = new PrefixTree();
        tree.insert(A, units("first one"));
        tree.insert(A, units("second"));
        tree.match(A, units("first one"));
        tree.evict(worker -> 9);

        assertThat(tree.sizes()).containsEntry(A, 9);
        assertThat(tree.match(units("second")).matched()).isZero();
    }

    @Test
    void writesOnlyEveryEighthStampOfALookUp() {
        PrefixTree tree = new PrefixTree();
        tree.insert(A, units("first"));
        tree.insert(A, units("other"));
        for (int i = 0; i < 6; i++) {
            tree.match(units("first"));
        }
        PrefixTree later = new PrefixTree();
        later.insert(A, units("first"));
        later.insert(A, units("other"));
        for (int i = 0; i < 7; i++) {
            later.match(units("first"));
        }
        tree.evict(worker -> 5);
        later.evict(worker -> 5);

        assertThat(tree.match(units("first")).matched()).isZero();
        assertThat(later.match(units("other")).matched()).isZero();
    }

    @Test
    void keepsCountsAndDropsUnusedNodes() {
        SplittableRandom random = new SplittableRandom(23);
        PrefixTree tree = new PrefixTree();
        List<String> words = List.of("ab", "abc", "b", "日", "zz");
        TreeSet<Integer> workers = new TreeSet<>();
        for (int step = 0; step < 5_000; step++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(6); i > 0; i--) {
                text.append(words.get(random.nextInt(words.size())));
            }
            int worker = random.nextInt(4);
            switch (random.nextInt(8)) {
                case 0 -> {
                    int limit = random.nextInt(60);
                    tree.evict(each -> limit);
                    assertThat(tree.sizes().values()).allMatch(size -> size <= limit);
                }
                case 1 -> {
                    tree.remove(worker);
                    workers.remove(worker);
                }
                case 2, 3 -> tree.match(units(text.toString()));
                default -> {
                    tree.insert(worker, units(text.toString()));
                    workers.add(worker);
                    assertThat(tree.match(worker, units(text.toString())))
                            .isEqualTo(text.codePointCount(0, text.length()));
                }
            }
            assertThat(tree.countedSizes()).isEqualTo(tree.sizes()).containsOnlyKeys(workers);
        }
        workers.forEach(tree::remove);
        assertThat(tree.match(units("abc")).matched()).isZero();
    }
}
