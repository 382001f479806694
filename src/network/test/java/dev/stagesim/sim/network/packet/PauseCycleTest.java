package dev.stagesim.sim.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.network.packet.PacketDeadlockMessage.PauseCycle;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PauseCycleTest {
    private static PortUse paused(int node, int by) {
        return PacketRuns.use(new PortUse.Location(node, 1, by, true), 0, 0, new PortUse.Pauses(1, 0, true));
    }

    @Test
    void findsCycleOfPausedNodes() {
        // Host 0 waits for the cycle of 7, 9 and 8. 6 pauses 5, and is free itself.
        assertThat(PauseCycle.find(List.of(paused(0, 7), paused(5, 6), paused(7, 9), paused(8, 7), paused(9, 8))))
                .containsExactly(7, 9, 8);
    }

    @Test
    void findsNoCycleWhenPausesEnd() {
        assertThat(PauseCycle.find(List.of(paused(0, 7), paused(1, 7), paused(7, 8))))
                .isEmpty();
        assertThat(PauseCycle.find(List.of())).isEmpty();
    }
}
