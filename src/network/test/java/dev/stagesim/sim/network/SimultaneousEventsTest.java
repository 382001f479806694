package dev.stagesim.sim.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class SimultaneousEventsTest {
    /** A message: its tag, its sender or -1, and the order of scheduling. */
    private record Message(int tag, int sender, int number) {}

    @Test
    void ordersArrivalsByTagThenSender() {
        SimultaneousEvents wave = new SimultaneousEvents();
        Random random = new Random(1);
        for (int size : new int[] {0, 1, 5, 300, 40, 2000}) {
            List<Message> messages = new ArrayList<>();
            wave.clear();
            for (int i = 0; i < size; i++) {
                int tag = random.nextInt(1 + random.nextInt(size));
                int sender = tag % 2 == 0 ? -1 : random.nextInt(7);
                messages.add(new Message(tag, sender, i));
                wave.addArrival(tag, sender, i);
                wave.add(1000 - i);
            }
            wave.close();
            messages.sort(Comparator.comparingInt(Message::tag).thenComparingInt(Message::sender));
            List<Integer> order = new ArrayList<>();
            List<Long> others = new ArrayList<>();
            for (int i = 0; i < wave.arrivals(); i++) {
                order.add(wave.arrival(i));
            }
            for (int i = 0; i < wave.others(); i++) {
                others.add(wave.other(i));
            }
            assertThat(order).isEqualTo(messages.stream().map(Message::number).toList());
            assertThat(others).hasSize(size).isSortedAccordingTo(Comparator.reverseOrder());
        }
    }
}
