package dev.stagesim.sim.network.packet;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.congestion.Hpcc;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.TracedFrame;
import dev.stagesim.sim.network.packet.state.TracedFrame.Event;
import dev.stagesim.sim.network.packet.state.TracedFrame.Kind;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopologies;
import dev.stagesim.sim.network.packet.topology.PacketTopologies.Tier;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rules of ns-3 for hosts and pauses on random networks. */
final class Ns3RulesTest {
    private static final int DRAWS = 60;
    private static final CongestionSpec HPCC = new Hpcc.Spec(0.95, 0, 50, 100, true, false, false, 1);

    private static TransportSpec transport(boolean window, int stalls) {
        return KeyRecord.of(TransportSpec.class, Map.of("window", window, "stalls", stalls));
    }

    /** Returns a network with traces of all nodes. */
    private static PacketRuns runs(
            PacketTopology topology, TransportSpec transport, CongestionSpec congestion, long buffer, Compat compat) {
        PacketRuns runs = new PacketRuns(topology);
        runs.spec = PacketRuns.spec(
                topology,
                Map.ofEntries(
                        entry("transport", transport),
                        entry("congestion", congestion),
                        entry("switches", new SwitchSpec(buffer, 1, true, false, List.of())),
                        entry(
                                "traced",
                                IntStream.range(0, topology.nodes()).boxed().toList()),
                        entry("compat", compat)));
        return runs;
    }

    private static PacketTopology star(RandomStream random, int hosts, int cards) {
        long rate = new long[] {25, 100, 400}[(int) random.below(3)] * PacketRuns.GIGA;
        return PacketTopologies.star(hosts, cards, new Tier(rate, 100 + random.below(2000)));
    }

    private static Set<Integer> ports(PacketRuns runs, int host, Kind kind, Event event) {
        return runs.frames.stream()
                .filter(frame -> frame.place().node() == host && frame.kind() == kind && frame.event() == event)
                .map(frame -> frame.place().port())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Each receiver has one flow, so its acknowledgements show the port that the flow's hash selects. */
    @ParameterizedTest
    @EnumSource(Compat.class)
    void pausesTheAnsweringPortOfAStalledHostInReferenceMode(Compat compat) {
        RandomStream random = RandomStream.of(5, "stalls");
        int different = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            int hosts = 2 + (int) random.below(4);
            PacketRuns runs = runs(
                    star(random, hosts, 2 + (int) random.below(3)),
                    transport(true, 1 + (int) random.below(4)),
                    new CongestionSpec.None(),
                    32 << 20,
                    compat);
            for (int host = 1; host < hosts; host++) {
                runs.send(host - 1, host, 1 + (int) random.below(200_000));
            }
            assertThat(runs.run()).doesNotContain(-1);
            for (int host = 1; host < hosts; host++) {
                Set<Integer> came = ports(runs, host, Kind.DATA, Event.RECEIVED);
                Set<Integer> answered = ports(runs, host, Kind.ACK, Event.DEQUEUED);
                assertThat(ports(runs, host, Kind.PAUSE, Event.DEQUEUED))
                        .isEqualTo(compat == Compat.NS3 ? answered : came);
                different += came.equals(answered) ? 0 : 1;
            }
        }
        assertThat(different).isPositive();
    }

    private static int address(PacketTopology topology, int node, int number) {
        if (number == 1 && !topology.isSwitch()[node]) {
            return State.address(node);
        }
        int seen = 0;
        for (int cable = 0; cable < topology.cables().size(); cable++) {
            PacketTopology.Cable each = topology.cables().get(cable);
            if (each.a() == node || each.b() == node) {
                seen++;
            }
            if (seen == number) {
                return (10 << 24) + ((cable / 254 + 1) << 16) + ((cable % 254 + 1) << 8) + (each.a() == node ? 1 : 2);
            }
        }
        throw new AssertionError("node " + node + " has no port " + number);
    }

    /** Every sent pause frame is received with the sender's address, at hosts and at switches. */
    @ParameterizedTest
    @EnumSource(Compat.class)
    void tracesPauseFramesWithPortAddress(Compat compat) {
        RandomStream random = RandomStream.of(6, "pauses");
        int atHosts = 0;
        int atSwitches = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            int hosts = 3 + (int) random.below(4);
            PacketTopology topology = star(random, hosts, 1 + (int) random.below(2));
            PacketRuns runs =
                    runs(topology, transport(true, (int) random.below(3)), new CongestionSpec.None(), 1 << 19, compat);
            for (int host = 1; host < hosts; host++) {
                runs.send(host, 0, 20_000 + (int) random.below(100_000));
            }
            runs.run();
            List<String> sent = new ArrayList<>();
            List<String> received = new ArrayList<>();
            for (TracedFrame frame : runs.frames) {
                if (frame.kind() != Kind.PAUSE) {
                    continue;
                }
                assertThat(frame.ends().destination()).isEqualTo(0xffffffff);
                String text = frame.ends().source() + " " + frame.sequence() + " " + frame.payload();
                if (frame.event() == Event.DEQUEUED) {
                    assertThat(frame.ends().source())
                            .isEqualTo(address(
                                    topology,
                                    frame.place().node(),
                                    frame.place().port()));
                    sent.add(text);
                } else if (frame.event() == Event.RECEIVED) {
                    received.add(text);
                    atHosts += frame.place().atSwitch() ? 0 : 1;
                    atSwitches += frame.place().atSwitch() ? 1 : 0;
                }
            }
            assertThat(sent).containsAll(received);
        }
        assertThat(atHosts).isPositive();
        assertThat(atSwitches).isPositive();
    }

    @Test
    void rejectsHpccWithoutWindowExceptInReferenceMode() {
        RandomStream random = RandomStream.of(7, "hpcc");
        for (int draw = 0; draw < DRAWS; draw++) {
            int hosts = 3 + (int) random.below(4);
            PacketTopology topology = star(random, hosts, 1);
            PacketRuns there = runs(topology, transport(false, 0), HPCC, 32 << 20, Compat.NS3);
            assertThat(PacketCheck.problems(there.spec, hosts, "net")).isEmpty();
            for (int host = 1; host < hosts; host++) {
                there.send(host, (int) random.below(host), 1 + (int) random.below(500_000));
            }
            assertThat(there.run()).doesNotContain(-1);
            PacketRuns ours = runs(topology, transport(false, 0), HPCC, 32 << 20, Compat.NONE);
            assertThat(PacketCheck.problems(ours.spec, hosts, "net"))
                    .singleElement()
                    .extracting(Problem::what)
                    .asString()
                    .contains("transport.window");
        }
    }
}
