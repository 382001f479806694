package dev.stagesim.stage.astrasim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.network.packet.PacketRuns;
import dev.stagesim.sim.network.packet.PacketTotals;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PacketReasonsTest {
    private static final long DURATION = 1000;
    private static final PacketTotals CALM = new PacketTotals(0, 0, 0, 0, 0);

    private static PortUse port(int node, int number, int peer, long busy, long waited, long paused) {
        return PacketRuns.use(
                new PortUse.Location(node, number, peer, node > 0),
                busy,
                waited,
                new PortUse.Pauses(paused > 0 ? 1 : 0, paused, false));
    }

    @Test
    void reportsOnlyInherentReasonsOnCalmNetwork() {
        assertThat(new PacketReasons(List.of(port(0, 1, 1, 900, 0, 0), port(1, 1, 0, 100, 0, 0)), CALM, DURATION)
                        .list())
                .hasSize(1)
                .allSatisfy(reason -> assertThat(reason).contains("acknowledgement is back"));
    }

    @Test
    void reportsBottlenecksQueuesAndPauses() {
        // Host 0 is connected to switch 1, which has cables to switches 2 and 3.
        List<PortUse> ports = List.of(
                port(0, 1, 1, 300, 0, 250),
                port(1, 1, 0, 100, 40, 0),
                port(1, 2, 2, 800, 0, 0),
                port(1, 3, 3, 200, 0, 0));
        List<String> reasons = new PacketReasons(ports, new PacketTotals(1, 2, 3, 4, 5), DURATION).list();
        assertThat(reasons).hasSize(6);
        assertThat(reasons.get(0)).contains("bottleneck", "80.0", "30.0");
        assertThat(reasons.get(1)).contains("waited", "500 bytes");
        assertThat(reasons.get(2)).contains("paused: 1,", "25.0", "host 0");
        assertThat(reasons.get(3)).startsWith("3 frames were marked");
        assertThat(reasons.get(4)).startsWith("3 frames were lost");
        assertThat(reasons.get(5)).contains("acknowledgement is back");
        assertThat(new PacketReasons(List.of(), new PacketTotals(1, 0, 1, 0, 1), DURATION).list())
                .startsWith(
                        "1 frame was marked, having left a queue longer than mark_min.",
                        "1 frame was lost or found no room; flows went back once.");
    }
}
