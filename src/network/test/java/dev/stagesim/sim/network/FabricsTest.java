package dev.stagesim.sim.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.sim.network.Fabrics.Tier;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class FabricsTest {
    private static final List<Tier> TIERS = List.of(new Tier(50, 100), new Tier(50, 100), new Tier(50, 100));

    /** Returns the devices of a path, including source and destination. */
    private static List<Integer> way(Fabric fabric, int source, int destination) {
        List<Integer> way = new ArrayList<>(List.of(source));
        int device = source;
        while (device != destination) {
            int link = fabric.router().next(device, source, destination);
            assertThat(fabric.graph().from(link)).isEqualTo(device);
            device = fabric.graph().to(link);
            way.add(device);
            assertThat(way).hasSizeLessThan(50);
        }
        return way;
    }

    private static void everyPairIsJoined(Fabric fabric, int mostHops) {
        int npus = fabric.graph().npus();
        for (int a = 0; a < npus; a++) {
            for (int b = 0; b < npus; b++) {
                if (a != b) {
                    assertThat(way(fabric, a, b)).hasSizeLessThanOrEqualTo(mostHops + 1);
                }
            }
        }
    }

    @Test
    void routesProductDimensionByDimension() {
        Fabric fabric = Fabrics.product(List.of(
                new NetworkDimension(Topology.RING, 5, 50, 0),
                new NetworkDimension(Topology.SWITCH, 3, 50, 0),
                new NetworkDimension(Topology.MESH, 3, 50, 0),
                new NetworkDimension(Topology.FULLY_CONNECTED, 4, 50, 0)));
        assertThat(fabric.dimensions()).containsExactly(5, 3, 3, 4);
        everyPairIsJoined(fabric, 2 + 2 + 2 + 1);
        // 4 = (4,0,0,0) goes back around to 0, then over the switch of its row, then up the mesh.
        List<Integer> way = way(fabric, 3, 5 + 2 * 15);
        assertThat(way.subList(0, 3)).containsExactly(3, 4, 0);
        assertThat(way.get(3)).isGreaterThanOrEqualTo(180);
        assertThat(way.subList(4, way.size())).containsExactly(5, 20, 35);
    }

    @Test
    void linksRingOfTwoOnce() {
        Fabric fabric = Fabrics.product(List.of(new NetworkDimension(Topology.RING, 2, 50, 0)));
        assertThat(fabric.graph().links()).isEqualTo(2);
        assertThat(way(fabric, 1, 0)).containsExactly(1, 0);
    }

    @Test
    void buildsFatTreeWithExpectedCapacity() {
        assertThat(Fabrics.fatTreeCapacity(4, 1)).isEqualTo(16);
        Fabric fabric = Fabrics.fatTree(4, 1, 16, TIERS);
        assertThat(fabric.graph().devices()).isEqualTo(16 + 8 + 8 + 4);
        everyPairIsJoined(fabric, 6);
        assertThat(way(fabric, 0, 1)).hasSize(3);
        assertThat(way(fabric, 0, 3)).hasSize(5);
        Fabric narrow = Fabrics.fatTree(6, 2, 24, TIERS);
        everyPairIsJoined(narrow, 6);
        // Four NPUs per edge switch with two uplinks.
        assertThat(way(narrow, 0, 3)).hasSize(3);
        assertThat(way(narrow, 0, 4)).hasSize(5);
    }

    @Test
    void spreadsShiftedTrafficOverFatTree() {
        Fabric fabric = Fabrics.fatTree(4, 1, 16, TIERS);
        int[] crossed = new int[fabric.graph().links()];
        for (int npu = 0; npu < 16; npu++) {
            int to = (npu + 4) % 16;
            for (int device = npu; device != to; ) {
                int link = fabric.router().next(device, npu, to);
                crossed[link]++;
                device = fabric.graph().to(link);
            }
        }
        assertThat(Arrays.stream(crossed).max().orElse(0)).isEqualTo(1);
    }

    @Test
    void linksEveryPairOfDragonflyGroups() {
        Fabric fabric = Fabrics.dragonfly(9, 4, 2, 2, TIERS);
        assertThat(fabric.graph().npus()).isEqualTo(72);
        everyPairIsJoined(fabric, 5);
        int[] globals = new int[36];
        for (int link = 0; link < fabric.graph().links(); link++) {
            if (fabric.graph().dimension(link) == 2) {
                globals[fabric.graph().from(link) - 72]++;
            }
        }
        assertThat(globals).containsOnly(2);
        assertThatThrownBy(() -> Fabrics.dragonfly(10, 4, 2, 2, TIERS)).hasMessageContaining("10 groups");
    }

    @Test
    void detectsUnreachableNpus() {
        LinkGraph graph = new LinkGraph(3, 3);
        graph.add(0, 1, 0, 1, 0);
        graph.add(1, 0, 0, 1, 0);
        graph.add(1, 2, 0, 1, 0);
        assertThat(Fabrics.unreachable(graph)).containsExactly(2, 0);
        graph.add(2, 0, 0, 1, 0);
        assertThat(Fabrics.unreachable(graph)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Topology.class,
            names = {"RING", "SWITCH", "FULLY_CONNECTED"})
    void matchesNetworksOfOneDimension(Topology topology) {
        for (Contention contention : Contention.values()) {
            NetworkSpec spec = new NetworkSpec(List.of(new NetworkDimension(topology, 6, 37.5, 120.7)), contention);
            List<Long> plain = arrivals(Networks.of(spec));
            assertThat(arrivals(Networks.of(Fabrics.product(spec.dimensions()), contention)))
                    .isEqualTo(plain);
            assertThat(plain).hasSize(300);
        }
    }

    @Test
    void queuesMessagesOnSharedLink() {
        LinkGraph graph = new LinkGraph(3, 4);
        graph.addBoth(0, 3, 0, 10, 5);
        graph.addBoth(1, 3, 0, 10, 5);
        graph.addBoth(2, 3, 1, 10, 5);
        Fabric fabric = Fabrics.graph(graph, List.of(3));
        Network aware = Networks.of(fabric, Contention.AWARE);
        aware.send(0, 2, 1000, 0, 0);
        aware.send(1, 2, 1000, 0, 1);
        List<Long> arrived = run(aware, 2);
        // Two hops of 5 + 100 each. The second message waits 100 for the shared link.
        assertThat(arrived).containsExactly(210L, 310L);
        List<LinkUse> uses = List.copyOf(aware.links());
        LinkUse shared = uses.get(5);
        assertThat(shared).isEqualTo(new LinkUse(3, 2, 1, 10, 2, 2000, 200, 100, 1));
        Network unaware = Networks.of(fabric, Contention.UNAWARE);
        unaware.send(0, 2, 1000, 0, 0);
        unaware.send(1, 2, 1000, 0, 1);
        assertThat(run(unaware, 2)).containsExactly(110L, 110L);
    }

    private static List<Long> arrivals(Network network) {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 300; i++) {
            int from = random.nextInt(6);
            network.send(from, (from + 1 + random.nextInt(5)) % 6, 1 + random.nextInt(100_000), i, i);
        }
        return run(network, 300);
    }

    private static List<Long> run(Network network, int messages) {
        Long[] times = new Long[messages];
        network.run(new NetworkClient() {
            @Override
            public void event(long event) {
                throw new IllegalStateException();
            }

            @Override
            public void sent(int handle) {
                times[handle] = network.now();
            }

            @Override
            public void received(int handle) {
                throw new IllegalStateException();
            }
        });
        return List.of(times);
    }
}
