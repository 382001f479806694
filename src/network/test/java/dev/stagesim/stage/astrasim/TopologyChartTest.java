package dev.stagesim.stage.astrasim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.network.packet.PacketRuns;
import dev.stagesim.sim.network.packet.topology.PacketTopologies;
import dev.stagesim.sim.network.packet.topology.PacketTopologies.Tier;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class TopologyChartTest {
    private static final Tier TIER = new Tier(1_000_000_000L, 1);
    private static final Pattern NODE = Pattern.compile("<circle [^>]*cx=\"([^\"]*)\" cy=\"([^\"]*)\"");

    private static List<PortUse> idle(PacketTopology topology) {
        List<PortUse> ports = new ArrayList<>();
        int[] numbers = new int[topology.nodes()];
        for (PacketTopology.Cable cable : topology.cables()) {
            for (int[] ends : new int[][] {{cable.a(), cable.b()}, {cable.b(), cable.a()}}) {
                boolean atSwitch = ends[0] >= topology.hosts();
                ports.add(PacketRuns.use(
                        new PortUse.Location(ends[0], ++numbers[ends[0]], ends[1], atSwitch),
                        40,
                        0,
                        new PortUse.Pauses(0, 0, false)));
            }
        }
        return ports;
    }

    /** Browsers reject a number with a trailing point, and draw the node at the edge. */
    @Test
    void drawsEveryNodeInsideChart() {
        List<PacketTopology> topologies = List.of(
                PacketTopologies.star(8, 1, TIER),
                PacketTopologies.leafSpine(16, 4, 2, 2, TIER, TIER),
                PacketTopologies.fatTree(16, 4, 1, 1, TIER, TIER, TIER),
                PacketTopologies.rails(16, 8, 4, TIER, TIER, TIER),
                PacketTopologies.dragonfly(3, 2, 2, 1, 1, TIER, TIER, TIER),
                PacketTopologies.torus(List.of(4, 4), 1, 1, TIER, TIER));
        for (PacketTopology topology : topologies) {
            String svg = TopologyChart.draw(topology, idle(topology), 100).build();
            List<MatchResult> nodes = NODE.matcher(svg).results().toList();
            assertThat(nodes).hasSize(topology.nodes()).allSatisfy(node -> {
                assertThat(node.group(1)).matches("\\d+(\\.\\d+)?");
                assertThat(node.group(2)).matches("\\d+(\\.\\d+)?");
                assertThat(Double.parseDouble(node.group(1))).isBetween(10.0, 1150.0);
            });
        }
    }
}
