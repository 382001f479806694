package dev.stagesim.sim.network.packet.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.network.packet.PacketRuns;
import dev.stagesim.sim.network.packet.topology.PacketTopology.Cable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RoutesTest {
    private static final long[] RATES = {100, 400};

    /** Returns few hosts on few switches, so that many have equal cables, parallel cables, or none. */
    private static PacketTopology topology(RandomStream random) {
        int hosts = 2 + (int) random.below(6);
        int switches = (int) random.below(4);
        int nodes = hosts + switches;
        List<Cable> cables = new ArrayList<>();
        int count = 1 + (int) random.below(2L * nodes);
        for (int i = 0; i < count; i++) {
            int a = (int) random.below(nodes);
            int b = random.below(8) == 0 || switches == 0
                    ? (int) random.below(nodes)
                    : hosts + (int) random.below(switches);
            if (a != b) {
                long rate = RATES[(int) random.below(RATES.length)] * PacketRuns.GIGA;
                cables.add(new Cable(a, b, rate, 100 * random.below(2), 0));
            }
        }
        return new PacketTopology(nodes, IntStream.range(hosts, nodes).boxed().toList(), cables);
    }

    @Test
    void matchesSearchFromEveryHost() {
        qt().withExamples(1000).forAll(longs().all()).checkAssert(seed -> {
            PacketTopology topology = topology(RandomStream.of(seed, "routes"));
            Ports ports = new Ports(topology);
            Routes routes = new Routes(topology, ports, 1000, false, false);
            compare(topology, ports, routes);
            if (ports.count > 0) {
                int cut = (int) RandomStream.of(seed, "cut").below(ports.count);
                ports.up[cut] = false;
                ports.up[cut ^ 1] = false;
                routes.compute();
                compare(topology, ports, routes);
            }
        });
    }

    /** If a cable fails, the reference updates the rate of a pair, but not its round-trip time and window. */
    @Test
    void keepsRoundTripsAfterFailureInReferenceMode() {
        qt().withExamples(500).forAll(longs().all()).checkAssert(seed -> {
            PacketTopology topology = topology(RandomStream.of(seed, "kept"));
            Ports ports = new Ports(topology);
            Routes kept = new Routes(topology, ports, 1000, false, true);
            Routes before = new Routes(topology, ports, 1000, false, false);
            Routes after = new Routes(topology, ports, 1000, false, false);
            if (ports.count > 0) {
                int cut = (int) RandomStream.of(seed, "cut").below(ports.count);
                ports.up[cut] = false;
                ports.up[cut ^ 1] = false;
                kept.compute();
                after.compute();
            }
            for (int a = 0; a < topology.hosts(); a++) {
                for (int b = 0; b < topology.hosts(); b++) {
                    if (a != b && after.towards(a, b).length > 0) {
                        assertThat(kept.towards(a, b)).containsExactly(after.towards(a, b));
                        assertThat(kept.slowest(a, b)).isEqualTo(after.slowest(a, b));
                        assertThat(kept.roundTrip(a, b)).isEqualTo(before.roundTrip(a, b));
                        assertThat(kept.product(a, b)).isEqualTo(before.product(a, b));
                    }
                }
            }
        });
    }

    private static void compare(PacketTopology topology, Ports ports, Routes routes) {
        for (int host = 0; host < topology.hosts(); host++) {
            Plain plain = new Plain(topology, ports, host);
            for (int node = 0; node < topology.nodes(); node++) {
                if (node == host) {
                    continue;
                }
                assertThat(routes.towards(node, host))
                        .as("%s from %d to %d", topology, node, host)
                        .containsExactly(plain.ports.get(node).stream()
                                .mapToInt(port -> port)
                                .toArray());
                if (node < topology.hosts() && plain.distance[node] < Integer.MAX_VALUE) {
                    assertThat(routes.roundTrip(node, host)).isEqualTo(plain.roundTrip[node]);
                    assertThat(routes.slowest(node, host)).isEqualTo(plain.slowest[node]);
                }
            }
        }
    }

    /** A search from one host that follows the specification literally. */
    private static final class Plain {
        final int[] distance;
        final long[] roundTrip;
        final long[] slowest;
        final List<List<Integer>> ports = new ArrayList<>();

        Plain(PacketTopology topology, Ports all, int host) {
            distance = new int[topology.nodes()];
            roundTrip = new long[topology.nodes()];
            slowest = new long[topology.nodes()];
            Arrays.fill(distance, Integer.MAX_VALUE);
            IntStream.range(0, topology.nodes()).forEach(node -> ports.add(new ArrayList<>()));
            distance[host] = 0;
            slowest[host] = Long.MAX_VALUE;
            Set<Integer> queue = new LinkedHashSet<>(List.of(host));
            while (!queue.isEmpty()) {
                int node = queue.iterator().next();
                queue.remove(node);
                for (int next = topology.nodes() - 1; next >= 0; next--) {
                    int port = last(all, node, next);
                    if (port < 0) {
                        continue;
                    }
                    if (distance[next] == Integer.MAX_VALUE) {
                        distance[next] = distance[node] + 1;
                        roundTrip[next] = roundTrip[node] + 2 * all.delay[port] + 8_000_000_000_000L / all.rate[port];
                        slowest[next] = Math.min(slowest[node], all.rate[port]);
                        if (next >= topology.hosts()) {
                            queue.add(next);
                        }
                    }
                    if (distance[next] == distance[node] + 1) {
                        ports.get(next).add(port ^ 1);
                    }
                }
            }
        }

        private static int last(Ports all, int node, int next) {
            int found = -1;
            for (int port : all.ofNode[node]) {
                if (all.up[port] && all.node[port ^ 1] == next) {
                    found = port;
                }
            }
            return found;
        }
    }
}
