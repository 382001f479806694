package dev.stagesim.sim.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class IntDequeTest {
    @Test
    void behavesLikeADequeOfIntegers() {
        qt().forAll(lists().of(integers().between(0, 3)).ofSizeBetween(0, 400)).checkAssert(operations -> {
            IntDeque ours = new IntDeque();
            Deque<Integer> theirs = new ArrayDeque<>();
            for (int i = 0; i < operations.size(); i++) {
                apply(operations.get(i), i, ours, theirs);
                assertThat(ours.size()).isEqualTo(theirs.size());
            }
            assertThat(items(ours)).isEqualTo(List.copyOf(theirs));
        });
    }

    private static void apply(int operation, int item, IntDeque ours, Deque<Integer> theirs) {
        if (operation == 0) {
            ours.addFirst(item);
            theirs.addFirst(item);
        } else if (operation == 1) {
            ours.addLast(item);
            theirs.addLast(item);
        } else if (!theirs.isEmpty()) {
            int taken = operation == 2 ? ours.removeFirst() : ours.removeLast();
            assertThat(taken).isEqualTo(operation == 2 ? theirs.removeFirst() : theirs.removeLast());
        }
    }

    @Test
    void sortsStablyAtAnySize() {
        qt().forAll(lists().of(integers().between(0, 9)).ofSizeBetween(0, 300)).checkAssert(keys -> {
            double[] byItem = keys.stream().mapToDouble(k -> k).toArray();
            IntDeque deque = new IntDeque();
            List<Integer> expected = new ArrayList<>();
            for (int i = 0; i < byItem.length; i++) {
                deque.addLast(i);
                expected.add(i);
            }
            expected.sort(Comparator.comparingDouble(i -> byItem[i]));
            deque.sortBy(byItem);
            assertThat(items(deque)).isEqualTo(expected);
        });
    }

    private static List<Integer> items(IntDeque deque) {
        List<Integer> items = new ArrayList<>();
        for (int i = 0; i < deque.size(); i++) {
            items.add(deque.get(i));
        }
        return items;
    }
}
