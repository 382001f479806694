package dev.stagesim.sim.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AnalyticNetworksTest {
    /** Logs all events with their times. */
    private static final class Log implements NetworkClient {
        final List<String> lines = new ArrayList<>();
        final Network network;

        Log(Network network) {
            this.network = network;
        }

        @Override
        public void event(long event) {
            lines.add(network.now() + " event " + event);
        }

        @Override
        public void sent(int handle) {
            lines.add(network.now() + " sent " + handle);
        }

        @Override
        public void received(int handle) {
            lines.add(network.now() + " received " + handle);
        }
    }

    private static Network network(Contention contention, NetworkDimension... dimensions) {
        return Networks.of(new NetworkSpec(List.of(dimensions), contention));
    }

    @Test
    void countsOnlyLowestDifferingDimension() {
        Network network = network(
                Contention.UNAWARE,
                new NetworkDimension(Topology.RING, 5, 50, 100),
                new NetworkDimension(Topology.SWITCH, 4, 25, 700));
        network.send(0, 4, 1000, 0, 4);
        network.send(0, 3, 1000, 0, 3);
        network.send(0, 13, 1000, 0, 13);
        network.send(0, 5, 1000, 0, 5);
        Log log = new Log(network);
        network.run(log);
        assertThat(log.lines).containsExactly("118 sent 4", "218 sent 3", "218 sent 13", "1437 sent 5");
        assertThat(network.areEquivalentPaths(new int[] {0, 7}, new int[] {3, 5}))
                .isTrue();
        assertThat(network.areEquivalentPaths(new int[] {0, 0}, new int[] {3, 1}))
                .isFalse();
    }

    @Test
    void notifiesLateReceiveAtEndOfTick() {
        Network network = network(Contention.UNAWARE, new NetworkDimension(Topology.FULLY_CONNECTED, 2, 50, 100));
        network.send(0, 1, 10, 3, 8);
        Log log = new Log(network);
        network.run(log);
        network.receive(0, 1, 10, 3, 9);
        network.schedule(network.now(), 77);
        network.run(log);
        assertThat(log.lines).containsExactly("100 sent 8", "100 received 9", "100 event 77");
    }

    @Test
    void serialisesMessagesOnLink() {
        Network network = network(Contention.AWARE, new NetworkDimension(Topology.SWITCH, 3, 1000 / 1.073741824, 100));
        for (int source = 0; source < 2; source++) {
            network.send(source, 2, 1000, 0, source);
        }
        network.send(0, 1, 1000, 0, 5);
        Log log = new Log(network);
        network.run(log);
        // 1 ns per link: two messages go up together and down to NPU 2 in turn. The second message of NPU 0 is at the
        // switch before that.
        assertThat(log.lines).containsExactly("202 sent 0", "203 sent 5", "203 sent 1");
        List<LinkUse> use = List.copyOf(network.links());
        assertThat(use).hasSize(6);
        assertThat(use.get(0).messages()).isEqualTo(2);
        assertThat(use.get(0).waitingNs()).isPositive();
        assertThat(use.get(5).from()).isEqualTo(3);
        assertThat(use.get(5).longestQueue()).isEqualTo(1);
    }

    @Test
    void prefersClockwiseWhenBothRingPathsAreEqual() {
        Network network = network(Contention.AWARE, new NetworkDimension(Topology.RING, 4, 50, 100));
        network.send(0, 2, 1, 0, 1);
        network.send(0, 3, 1, 0, 2);
        network.run(new Log(network));
        List<Integer> used = new ArrayList<>();
        network.links().forEach(use -> {
            if (use.messages() > 0) {
                used.add(use.from() * 10 + use.to());
            }
        });
        assertThat(used).containsExactly(1, 12, 3);
    }

    @Test
    void rejectsRingOfTwoWithContention() {
        assertThatThrownBy(() -> network(Contention.AWARE, new NetworkDimension(Topology.RING, 2, 50, 100)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("twice");
    }
}
