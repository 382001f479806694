package dev.stagesim.sim.serving.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class BlockKeysTest {
    private record Entry(int group, int block, long key, int tokens) {}

    /** Compares with a list of entries in order of insertion. */
    @Test
    void matchesAList() {
        SplittableRandom random = new SplittableRandom(3);
        BlockKeys keys = new BlockKeys(2, 12);
        List<Entry> plain = new ArrayList<>();
        Set<Long> reported = new HashSet<>();
        keys.watch(1, listener(reported));
        for (int step = 0; step < 20_000; step++) {
            int block = 1 + random.nextInt(11);
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    Entry entry = new Entry(block % 2, block, random.nextInt(6), 1 + random.nextInt(4));
                    if (!keys.carries(block, entry.key())) {
                        keys.add(entry.group(), block, entry.key(), entry.tokens());
                        plain.add(entry);
                    }
                }
                case 2 -> {
                    keys.drop(block);
                    plain.removeIf(entry -> entry.block() == block);
                }
                case 3 -> {
                    keys.dropBelow(block, 3);
                    plain.removeIf(entry -> entry.block() == block && entry.tokens() < 3);
                }
                default -> move(keys, plain, block, (block + 2) % 12 == 0 ? 2 : (block + 2) % 12);
            }
            check(keys, plain);
            assertThat(reported)
                    .containsExactlyInAnyOrderElementsOf(plain.stream()
                            .filter(entry -> entry.group() == 1)
                            .map(Entry::key)
                            .distinct()
                            .toList());
        }
        keys.clear();
        plain.clear();
        check(keys, plain);
    }

    private static CacheEvents listener(Set<Long> reported) {
        return new CacheEvents() {
            @Override
            public void begins(int block, int unit) {
                reported.clear();
            }

            @Override
            public void stored(long key) {
                assertThat(reported.add(key)).isTrue();
            }

            @Override
            public void removed(long key) {
                assertThat(reported.remove(key)).isTrue();
            }
        };
    }

    private static void move(BlockKeys keys, List<Entry> plain, int from, int to) {
        if (!keys.isKeyed(to)) {
            keys.move(from, to);
            List<Entry> moved =
                    plain.stream().filter(entry -> entry.block() == from).toList();
            plain.removeAll(moved);
            moved.forEach(entry -> plain.add(new Entry(entry.group(), to, entry.key(), entry.tokens())));
        }
    }

    private static void check(BlockKeys keys, List<Entry> plain) {
        for (int group = 0; group < 2; group++) {
            for (long key = 0; key < 6; key++) {
                int g = group;
                long k = key;
                int expected = plain.stream()
                        .filter(entry -> entry.group() == g && entry.key() == k)
                        .mapToInt(Entry::block)
                        .findFirst()
                        .orElse(BlockKeys.NONE);
                assertThat(keys.find(group, key)).isEqualTo(expected);
            }
        }
        assertThat(keys.keyedBlocks()).isEqualTo((int)
                plain.stream().mapToInt(Entry::block).distinct().count());
        plain.stream().map(Entry::block).distinct().forEach(block -> assertThat(keys.primary(block))
                .isEqualTo(plain.stream()
                        .filter(entry -> entry.block() == block)
                        .findFirst()
                        .orElseThrow()
                        .key()));
    }
}
