package dev.stagesim.sim.serving.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class PrefixTreeTest {
    @Test
    void countsCharactersNotBytes() {
        PrefixTree tree = new PrefixTree();
        tree.insert("a", "日本語😀x");

        assertThat(tree.sizes()).containsEntry("a", 5);
        assertThat(tree.match("日本語😀y")).isEqualTo(new PrefixTree.Found(4, 5, "a"));
    }

    @Test
    void namesTheWorkerThatMadeTheNode() {
        PrefixTree tree = new PrefixTree();
        tree.insert("a", "system: you are");
        tree.insert("b", "system: be brief");

        assertThat(tree.match("system: you").worker()).isEqualTo("a");
        assertThat(tree.match("system: be").worker()).isEqualTo("b");
        assertThat(tree.match("system").worker()).isEqualTo("a");
        assertThat(tree.match("b", "system: you")).isEqualTo(8);
        tree.remove("a");
        assertThat(tree.match("system: you")).isEqualTo(new PrefixTree.Found(8, 11, "b"));
        assertThat(tree.sizes()).containsOnlyKeys("b");
    }

    @Test
    void evictsTheLeafUsedLongestAgo() {
        PrefixTree tree = new PrefixTree();
        tree.insert("a", "first one");
        tree.insert("a", "second");
        tree.match("a", "first one");
        tree.evict(9);

        assertThat(tree.sizes()).containsEntry("a", 9);
        assertThat(tree.match("second").matched()).isZero();
    }

    @Test
    void writesOnlyEveryEighthStampOfALookUp() {
        PrefixTree tree = new PrefixTree();
        tree.insert("a", "first");
        tree.insert("a", "other");
        for (int i = 0; i < 6; i++) {
            tree.match("first");
        }
        PrefixTree later = new PrefixTree();
        later.insert("a", "first");
        later.insert("a", "other");
        for (int i = 0; i < 7; i++) {
            later.match("first");
        }
        tree.evict(5);
        later.evict(5);

        assertThat(tree.match("first").matched()).isZero();
        assertThat(later.match("other").matched()).isZero();
    }

    @Test
    void keepsItsCountsAndForgetsWhatNobodyHas() {
        SplittableRandom random = new SplittableRandom(23);
        PrefixTree tree = new PrefixTree();
        List<String> words = List.of("ab", "abc", "b", "日", "zz");
        TreeSet<String> workers = new TreeSet<>();
        for (int step = 0; step < 5_000; step++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(6); i > 0; i--) {
                text.append(words.get(random.nextInt(words.size())));
            }
            String worker = "w" + random.nextInt(4);
            switch (random.nextInt(8)) {
                case 0 -> {
                    int limit = random.nextInt(60);
                    tree.evict(limit);
                    assertThat(tree.sizes().values()).allMatch(size -> size <= limit);
                }
                case 1 -> {
                    tree.remove(worker);
                    workers.remove(worker);
                }
                case 2, 3 -> tree.match(text.toString());
                default -> {
                    tree.insert(worker, text.toString());
                    workers.add(worker);
                    assertThat(tree.match(worker, text.toString())).isEqualTo(text.codePointCount(0, text.length()));
                }
            }
            assertThat(tree.countedSizes()).isEqualTo(tree.sizes()).containsOnlyKeys(workers);
        }
        workers.forEach(tree::remove);
        assertThat(tree.match("abc").matched()).isZero();
    }
}
