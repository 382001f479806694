package dev.stagesim.sim.network.packet.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.network.packet.topology.PacketTopologies.Tier;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PacketTopologiesTest {
    private static final Tier TIER = new Tier(100_000_000_000L, 500);

    private static void everyHostReachesEveryOther(PacketTopology topology) {
        Routes routes = new Routes(topology, new Ports(topology), 1000, false, false);
        for (int i = 0; i < topology.hosts(); i++) {
            for (int j = 0; j < topology.hosts(); j++) {
                if (i != j) {
                    assertThat(routes.towards(i, j)).as("%d to %d", i, j).isNotEmpty();
                }
            }
        }
    }

    @Test
    void buildsOneSwitchPerCardOfStar() {
        PacketTopology star = PacketTopologies.star(5, 2, TIER);
        everyHostReachesEveryOther(star);
        assertThat(star.switches()).containsExactly(5, 6);
        assertThat(star.cables()).hasSize(10);
        assertThat(new Routes(star, new Ports(star), 1000, false, false).towards(0, 1))
                .hasSize(2);
    }

    @Test
    void linksLeavesToEverySpine() {
        PacketTopology topology = PacketTopologies.leafSpine(10, 4, 3, 1, TIER, TIER);
        everyHostReachesEveryOther(topology);
        assertThat(topology.switches()).hasSize(6);
        assertThat(topology.cables()).hasSize(10 + 9);
        Routes routes = new Routes(topology, new Ports(topology), 1000, false, false);
        assertThat(routes.towards(10, 9)).hasSize(3);
        assertThat(routes.towards(10, 1)).hasSize(1);
    }

    @Test
    void countsCablesInMeanDistance() {
        assertThat(PacketTopologies.star(5, 2, TIER).meanDistance()).isEqualTo(2);
        // Leaves of 4, 4 and 2 hosts: 26 of 90 pairs are below one leaf.
        assertThat(PacketTopologies.leafSpine(10, 4, 3, 1, TIER, TIER).meanDistance())
                .isEqualTo((26 * 2 + 64 * 4) / 90.0);
        assertThat(new PacketTopology(2, List.of(), List.of()).meanDistance()).isEqualTo(1);
    }

    @Test
    void connectsSixteenHostsWithFourPortFatTree() {
        assertThat(PacketTopologies.fatTreeCapacity(4, 1)).isEqualTo(16);
        PacketTopology topology = PacketTopologies.fatTree(16, 4, 1, 1, TIER, TIER, TIER);
        everyHostReachesEveryOther(topology);
        assertThat(topology.switches()).hasSize(20);
        assertThat(topology.cables()).hasSize(48);
        assertThat(portsOfSwitches(topology)).containsOnly(4);
    }

    private static List<Integer> portsOfSwitches(PacketTopology topology) {
        Ports ports = new Ports(topology);
        return topology.switches().stream()
                .map(node -> ports.ofNode[node].length)
                .toList();
    }

    @Test
    void buildsFewerUplinksWhenOversubscribed() {
        assertThat(PacketTopologies.fatTreeCapacity(6, 2)).isEqualTo(72);
        PacketTopology topology = PacketTopologies.fatTree(72, 6, 2, 1, TIER, TIER, TIER);
        everyHostReachesEveryOther(topology);
        assertThat(topology.switches()).hasSize(18 + 12 + 6);
    }

    @Test
    void linksRailsBetweenEqualPositions() {
        PacketTopology topology = PacketTopologies.rails(8, 4, 2, TIER, TIER, TIER);
        everyHostReachesEveryOther(topology);
        assertThat(topology.switches()).hasSize(2 + 4 + 2);
        Routes routes = new Routes(topology, new Ports(topology), 1000, false, false);
        Ports ports = new Ports(topology);
        assertThat(ports.node[routes.towards(0, 1)[0] ^ 1]).isEqualTo(8);
        assertThat(ports.node[routes.towards(0, 4)[0] ^ 1]).isEqualTo(10);
    }

    @Test
    void linksEveryPairOfDragonflyGroupsOnce() {
        PacketTopology topology = PacketTopologies.dragonfly(5, 2, 2, 2, 1, TIER, TIER, new Tier(25, 2000));
        everyHostReachesEveryOther(topology);
        assertThat(topology.cables().stream().filter(cable -> cable.rate() == 25))
                .hasSize(10);
        assertThat(portsOfSwitches(topology)).allMatch(count -> count == 2 + 1 + 2);
    }

    @Test
    void linksTorusNeighboursOnce() {
        PacketTopology topology = PacketTopologies.torus(List.of(4, 2), 1, 1, TIER, TIER);
        everyHostReachesEveryOther(topology);
        assertThat(topology.switches()).hasSize(8);
        assertThat(portsOfSwitches(topology)).containsOnly(1 + 2 + 1);
    }
}
