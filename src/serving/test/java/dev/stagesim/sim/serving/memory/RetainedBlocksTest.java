package dev.stagesim.sim.serving.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.core.RandomStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares retained blocks with a linear search. */
final class RetainedBlocksTest {
    private static final int SIZE = 40;
    private static final double SECONDS = 25;

    /** A free block with its release time, the end of its retention, and whether it should be evicted. */
    private static final class Free {
        final int block;
        final long use;
        final double until;
        boolean isOverdue;

        Free(int block, long use, double until) {
            this.block = block;
            this.use = use;
            this.until = until;
        }
    }

    private static final class Clock implements CacheRetention {
        double now;
        int saved;

        @Override
        public double now() {
            return now;
        }

        @Override
        public double until(int request) {
            return now + SECONDS;
        }

        @Override
        public void held(int blocks) {
            // This test does not check the counter.
        }

        @Override
        public void saved() {
            saved++;
        }
    }

    @Test
    void evictsRetainedBlocksLast() {
        Clock clock = new Clock();
        RetainedBlocks retained = new RetainedBlocks(clock, SIZE);
        FreeBlocks queue = FreeBlocks.none();
        List<Free> free = new ArrayList<>();
        List<Integer> used = new ArrayList<>();
        for (int block = 0; block < SIZE; block++) {
            used.add(block);
        }
        RandomStream random = RandomStream.of(9, "blocks");
        double[] marks = new double[SIZE];
        long uses = 0;
        int saved = 0;
        int passed = 0;
        for (int i = 0; i < 20_000; i++) {
            clock.now += random.below(3);
            long what = random.below(5);
            if (what < 2 && !used.isEmpty()) {
                int block = used.remove((int) random.below(used.size()));
                // A hit on a retained block renews its retention.
                boolean isKept = random.below(3) == 0 || marks[block] > clock.now;
                marks[block] = isKept ? clock.now + SECONDS : 0;
                if (isKept) {
                    retained.mark(block, retained.until(0));
                }
                if (!retained.keep(block)) {
                    queue.append(block);
                }
                free.add(new Free(block, ++uses, isKept ? clock.now + SECONDS : 0));
            } else if (what == 2 && !used.isEmpty() && random.below(8) == 0) {
                int block = used.remove((int) random.below(used.size()));
                marks[block] = 0;
                queue.prepend(block);
                retained.forget(block);
                free.add(0, new Free(block, 0, 0));
            } else if (what == 3 && !free.isEmpty()) {
                Free found = free.remove((int) random.below(free.size()));
                if (!retained.leave(found.block)) {
                    queue.remove(found.block);
                }
                saved += found.isOverdue && found.until > clock.now ? 1 : 0;
                used.add(found.block);
            } else if (what == 4 && !free.isEmpty()) {
                Free wanted = free.stream()
                        .filter(one -> one.until <= clock.now)
                        .findFirst()
                        .orElse(free.get(0));
                passed += wanted == free.get(0) ? 0 : 1;
                if (wanted.until <= clock.now) {
                    free.stream()
                            .filter(one -> one.until > clock.now && !one.isOverdue && one.use < wanted.use)
                            .findFirst()
                            .ifPresent(one -> one.isOverdue = true);
                }
                assertThat(retained.take(queue)).as("take %d", i).isEqualTo(wanted.block);
                free.remove(wanted);
                used.add(wanted.block);
                marks[wanted.block] = 0;
            }
            assertThat(queue.size() + retained.size()).isEqualTo(free.size());
        }
        assertThat(passed).isGreaterThan(100);
        assertThat(saved).isGreaterThan(20);
        // The tracker counts a hit on a block that expired since the last allocation as a hit on a retained block.
        assertThat(clock.saved).isBetween(saved, saved + saved / 2);
    }
}
