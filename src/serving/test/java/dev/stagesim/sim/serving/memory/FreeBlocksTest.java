package dev.stagesim.sim.serving.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares with a list of all free blocks. */
final class FreeBlocksTest {
    private static final int BLOCKS = 600;

    @Test
    void matchesAList() {
        SplittableRandom random = new SplittableRandom(11);
        FreeBlocks queue = new FreeBlocks(1, BLOCKS);
        List<Integer> free = new ArrayList<>(IntStream.range(1, BLOCKS).boxed().toList());
        List<Integer> used = new ArrayList<>();
        int lastTaken = 0;
        for (int step = 0; step < 20_000; step++) {
            int share = step / 4000 % 2 == 0 ? 5 : 2; // takes more than it returns, then the reverse
            if (random.nextInt(8) < share && !free.isEmpty()) {
                assertThat(queue.takeFirst()).isEqualTo(free.get(0));
                lastTaken = Math.max(lastTaken, free.get(0));
                used.add(free.remove(0));
            } else if (!used.isEmpty()) {
                int block = used.remove(random.nextInt(used.size()));
                if (random.nextBoolean()) {
                    queue.append(block);
                    free.add(block);
                } else {
                    queue.prepend(block);
                    free.add(0, block);
                }
            }
            int place = free.isEmpty() ? 0 : random.nextInt(free.size());
            if (!free.isEmpty() && free.get(place) <= lastTaken && random.nextInt(4) == 0) {
                queue.remove(free.get(place));
                used.add(free.remove(place));
            }
            assertThat(queue.size()).isEqualTo(free.size());
            assertThat(queue.first()).isEqualTo(free.isEmpty() ? -1 : free.get(0));
            if (step % 50 == 0) {
                assertThat(queue.toArray())
                        .containsExactly(free.stream().mapToInt(i -> i).toArray());
            }
        }
        assertThat(lastTaken).isEqualTo(BLOCKS - 1);
    }

    @Test
    void emptyQueueHasNoFirstBlock() {
        FreeBlocks queue = FreeBlocks.none();
        assertThat(queue.first()).isEqualTo(-1);
        assertThatThrownBy(queue::takeFirst).hasMessage("no block is free");
    }
}
