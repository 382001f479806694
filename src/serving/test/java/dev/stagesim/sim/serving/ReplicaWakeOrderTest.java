package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplicaWakeOrderTest {
    private static List<Integer> drained(ReplicaWakeOrder placed, int... replicas) {
        for (int replica : replicas) {
            placed.add(replica);
        }
        List<Integer> order = new ArrayList<>();
        placed.drain(order::add);
        return order;
    }

    @Test
    void returnsEachReplicaOnceInAscendingOrder() {
        ReplicaWakeOrder placed = new ReplicaWakeOrder(70, false);
        assertThat(drained(placed, 8, 1, 8, 3)).containsExactly(1, 3, 8);
        assertThat(drained(placed)).isEmpty();
        assertThat(drained(placed, 3, 1)).containsExactly(1, 3);
    }

    @Test
    void returnsUpToEightReplicasInAscendingHashOrder() {
        assertThat(drained(new ReplicaWakeOrder(8, true), 7, 0, 3)).containsExactly(0, 3, 7);
    }

    /** The expected order is the one of {@code list(s)} in Python after {@code s.add} of each number. */
    @Test
    void matchesTheHashOrderOfPython() {
        ReplicaWakeOrder placed = new ReplicaWakeOrder(70, true);
        assertThat(drained(placed, 8, 1, 3)).containsExactly(8, 1, 3);
        assertThat(drained(placed, 16, 8, 0, 9)).containsExactly(16, 8, 0, 9);
        assertThat(drained(placed, 32, 33, 0, 1, 64, 65, 8)).containsExactly(32, 33, 64, 0, 1, 65, 8);
        assertThat(drained(placed, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29))
                .containsExactly(32, 33, 34, 35, 36, 37, 38, 39, 29, 30, 31);
        int[] falling = IntStream.rangeClosed(0, 39).map(i -> 39 - i).toArray();
        assertThat(drained(placed, falling)).isSorted().hasSize(40);
    }
}
