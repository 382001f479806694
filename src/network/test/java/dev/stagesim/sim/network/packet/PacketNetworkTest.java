package dev.stagesim.sim.network.packet;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.congestion.Hpcc;
import dev.stagesim.sim.network.packet.congestion.Timely;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import dev.stagesim.sim.network.packet.state.PathSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopologies;
import dev.stagesim.sim.network.packet.topology.PacketTopologies.Tier;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Worked examples, and cases in which the reference hangs. */
final class PacketNetworkTest {
    private static final SwitchSpec PLAIN = new SwitchSpec(32 << 20, 3, true, false, List.of());
    private static final CongestionSpec NONE = new CongestionSpec.None();

    @Test
    void completesMessageWithLastAcknowledgement() {
        // Frames of 1036 and 37 bytes take 332 and 12 ns; the second's acknowledgement waits for the first's.
        assertThat(new PacketRuns(PacketRuns.pair(25, 5000)).send(0, 1, 1001).run())
                .containsExactly(10362);
        assertThat(new PacketRuns(PacketRuns.pair(25, 5000)).send(0, 1, 1).run())
                .containsExactly(10027);
        assertThat(new PacketRuns(PacketRuns.pair(10, 123)).send(0, 1, 1).run()).containsExactly(314);
    }

    @Test
    void storesAndForwardsAtSwitches() {
        assertThat(new PacketRuns(PacketRuns.star(2)).send(0, 1, 5000).run()).containsExactly(4506);
    }

    @Test
    void alternatesFramesOfTwoSenders() {
        PacketRuns runs = new PacketRuns(PacketRuns.star(3)).send(0, 2, 10_000).send(1, 2, 10_000);
        assertThat(runs.run()).containsExactly(5668, 5751);
    }

    @Test
    void pausesSendersWhenBufferIsSmall() {
        PacketRuns runs = new PacketRuns(PacketRuns.star(9))
                .with(NONE, new SwitchSpec(1 << 20, 3, true, false, List.of()), 0, Compat.NONE);
        runs.spec = withoutWindow(runs.spec);
        for (int source = 0; source < 8; source++) {
            runs.send(source, 8, 400_000);
        }
        assertThat(runs.run()).doesNotContain(-1);
        assertThat(runs.log)
                .isNotEmpty()
                .anyMatch(line -> line.contains("pause"))
                .anyMatch(line -> line.contains("resume"));
        assertThat(runs.network.totals().dropped()).isZero();
    }

    @Test
    void rejectsHeadroomAboveBuffer() {
        // The bandwidth-delay product of 2.4 Tbit/s and 4 ms overflows 63 bits when multiplied in bits and ns.
        assertThat(reserved(2, 4_000_000, 3, 4095))
                .containsExactly(
                        "the buffer of switch 2 holds 4293918720 bytes, but its ports alone reserve 7200008192;"
                                + " make it larger, or the headroom factor or the delays smaller");
        assertThat(reserved(1, 4_000_000, 3, 4095))
                .containsExactly("a port of switch 1 reserves 3600000000 bytes of headroom, expected less than 2 GiB;"
                        + " make the headroom factor or the delays smaller");
        assertThat(reserved(1, 7_158_278, 1, 4095)).isEmpty();
        assertThat(reserved(1, 7_158_279, 1, 4095)).hasSize(1);
        // Two ports of 524,283,900 bytes and 4 kB each just fit into 1000 MiB.
        assertThat(reserved(2, 1_747_613, 1, 1000)).isEmpty();
        assertThat(reserved(2, 1_747_614, 1, 1000)).hasSize(1);
        SwitchSpec switches = new SwitchSpec(4095L << 20, 1, true, false, List.of());
        PacketTopology far = PacketTopologies.star(2, 1, new Tier(2400 * PacketRuns.GIGA, 4_000_000));
        PacketRuns runs = new PacketRuns(PacketRuns.star(2)).send(0, 1, 1000);
        runs.spec = on(far, switches);
        assertThat(PacketCheck.problems(runs.spec, 2, "net")).isEmpty();
        assertThat(runs.run()[0]).isBetween(16_000_000L, 16_000_100L);
    }

    private static List<String> reserved(int hosts, long delay, int factor, long mebibytes) {
        PacketTopology star = PacketTopologies.star(hosts, 1, new Tier(2400 * PacketRuns.GIGA, delay));
        SwitchSpec switches = new SwitchSpec(mebibytes << 20, factor, true, false, List.of());
        return PacketCheck.problems(on(star, switches), hosts, "net").stream()
                .map(Problem::what)
                .toList();
    }

    private static PacketSpec on(PacketTopology topology, SwitchSpec switches) {
        return PacketRuns.spec(topology, Map.of("congestion", NONE, "switches", switches));
    }

    private static PacketSpec withoutWindow(PacketSpec spec) {
        TransportSpec given = spec.transport();
        return KeyRecord.with(
                PacketSpec.class,
                spec,
                Map.ofEntries(
                        entry(
                                "transport",
                                KeyRecord.of(
                                        TransportSpec.class,
                                        Map.of(
                                                "payload",
                                                given.payload(),
                                                "window",
                                                false,
                                                "retransmit",
                                                given.retransmit()))),
                        entry("paths", PathSpec.BY_FLOW)));
    }

    @Test
    void retransmitsLostFramesExceptInReferenceMode() {
        PacketRuns reference = new PacketRuns(PacketRuns.pair(100, 1000)).with(NONE, PLAIN, 0.1, Compat.NS3);
        PacketRuns ours = new PacketRuns(PacketRuns.pair(100, 1000)).with(NONE, PLAIN, 0.1, Compat.NONE);
        for (int i = 0; i < 20; i++) {
            reference.send(0, 1, 5000);
            ours.send(0, 1, 5000);
        }
        assertThat(reference.run()).contains(-1);
        assertThat(reference.network.openFlows()).isNotEmpty().allSatisfy(flow -> assertThat(flow.waitsFor())
                .contains("lost"));
        assertThat(ours.run()).doesNotContain(-1);
        assertThat(ours.network.totals().lost()).isPositive();
        assertThat(ours.network.openFlows()).isEmpty();
    }

    @Test
    void abortsFlowOverDeadCable() {
        PacketRuns runs = new PacketRuns(PacketRuns.pair(100, 1000)).with(NONE, PLAIN, 1, Compat.NONE);
        assertThat(runs.send(0, 1, 5000).run()).containsExactly(-1);
        assertThat(runs.network.openFlows()).singleElement().satisfies(flow -> assertThat(flow.waitsFor())
                .startsWith("byte 0"));
    }

    @Test
    void abortsFlowWhenLastPathFails() {
        PacketRuns runs = new PacketRuns(PacketRuns.star(3)).send(0, 1, 500_000).send(1, 2, 5000);
        for (PacketSpec.LinkDown down :
                List.of(new PacketSpec.LinkDown(10_000, 0, 3), new PacketSpec.LinkDown(10_000, 3, 1))) {
            runs.spec = failing(runs.spec, down);
            assertThat(runs.run()[0]).isEqualTo(-1);
            assertThat(runs.network.openFlows()).singleElement().satisfies(flow -> assertThat(flow.waitsFor())
                    .startsWith("a path to host 1"));
            assertThatThrownBy(() -> runs.network.send(0, 1, 1, 9, -1))
                    .isInstanceOfSatisfying(
                            StageException.class,
                            e -> assertThat(e.problems().get(0).render()).contains("failed at 10000 ns"));
        }
    }

    private static PacketSpec failing(PacketSpec spec, PacketSpec.LinkDown down) {
        return KeyRecord.with(
                PacketSpec.class,
                spec,
                Map.of("lossRate", 0, "linkDown", Optional.of(down), "paths", PathSpec.BY_FLOW));
    }

    @Test
    void keepsFullRateOfTimelyWithTimestamps() {
        CongestionSpec timely = new Timely.Spec(50, 100, 100);
        long ours = new PacketRuns(PacketRuns.star(2))
                .with(timely, PLAIN, 0, Compat.NONE)
                .send(0, 1, 2_000_000)
                .run()[0];
        long reference = new PacketRuns(PacketRuns.star(2))
                .with(timely, PLAIN, 0, Compat.NS3)
                .send(0, 1, 2_000_000)
                .run()[0];
        long plain = new PacketRuns(PacketRuns.star(2))
                .with(NONE, PLAIN, 0, Compat.NONE)
                .send(0, 1, 2_000_000)
                .run()[0];
        assertThat(ours).isLessThan(plain + plain / 10);
        assertThat(reference).isGreaterThan(2 * ours);
    }

    @Test
    void keepsResultsWhenEventsAreSkipped() {
        // Events that free idle ports are scheduled only if a frame waits. The event count includes all of them.
        PacketRuns runs = new PacketRuns(PacketRuns.star(2));
        runs.send(0, 1, 5000).run();
        // 5 frames and 5 acknowledgements, 4 events on each of 2 cables, except the last one; and 2 events that start
        // the flow.
        assertThat(runs.network.events()).isEqualTo(42);
    }

    @Test
    void matchesReferenceModeWithoutLosses() {
        List<long[]> all = new ArrayList<>();
        for (Compat compat : Compat.values()) {
            PacketRuns runs = new PacketRuns(PacketTopologies.leafSpine(
                            8, 2, 3, 1, new Tier(100 * PacketRuns.GIGA, 500), new Tier(100 * PacketRuns.GIGA, 700)))
                    .with(NONE, PLAIN, 0, compat);
            for (int i = 0; i < 8; i++) {
                runs.send(i, (i + 3) % 8, 30_000 + 777 * i);
            }
            all.add(runs.run());
        }
        assertThat(all.get(0)).doesNotContain(-1).containsExactly(all.get(1));
    }

    @Test
    void reportsDisconnectedHosts() {
        PacketRuns runs = new PacketRuns(
                new PacketTopology(3, List.of(), PacketRuns.pair(10, 1).cables()));
        assertThatThrownBy(() -> runs.send(0, 2, 1).run()).isInstanceOfSatisfying(StageException.class, e -> assertThat(
                        e.problems().get(0).what())
                .contains("host 0 sends to host 2"));
    }

    @Test
    void followsCablesOfAnyRateWithHpcc() {
        CongestionSpec hpcc = new Hpcc.Spec(0.95, 0, 50, 100, true, false, false, 1);
        PacketRuns odd = new PacketRuns(PacketTopologies.star(3, 1, new Tier(300 * PacketRuns.GIGA, 500)))
                .with(hpcc, PLAIN, 0, Compat.NONE)
                .send(0, 2, 3_000_000)
                .send(1, 2, 3_000_000);
        PacketRuns known = new PacketRuns(PacketTopologies.star(3, 1, new Tier(400 * PacketRuns.GIGA, 500)))
                .with(hpcc, PLAIN, 0, Compat.NONE)
                .send(0, 2, 3_000_000)
                .send(1, 2, 3_000_000);
        assertThat(PacketCheck.problems(odd.spec, 3, "net")).isEmpty();
        double ratio = (double) odd.run()[1] / known.run()[1];
        assertThat(ratio).isBetween(1.1, 1.4);
    }

    @Test
    void reportsKeysThatHpccCannotFollow() {
        CongestionSpec hpcc = new Hpcc.Spec(0.95, 0, 50, 100, true, false, false, 1);
        Tier tier = new Tier(100 * PacketRuns.GIGA, 500);
        PacketSpec spec = new PacketRuns(PacketTopologies.torus(List.of(12), 1, 1, tier, tier))
                .with(hpcc, PLAIN, 0, Compat.NONE)
                .spec;
        assertThat(PacketCheck.problems(spec, 12, "net")).singleElement().satisfies(problem -> {
            assertThat(problem.where()).isEqualTo("net.congestion.kind");
            assertThat(problem.render()).contains("some paths have 7").contains("dctcp");
        });
    }

    @Test
    void reportsImpossibleSettings() {
        PacketSpec spec = new PacketRuns(PacketRuns.star(4))
                .with(
                        new Hpcc.Spec(0.95, 0, 1e-6, 1e-6, true, false, false, 1),
                        new SwitchSpec(4096, 3, true, true, List.of()),
                        0,
                        Compat.NONE)
                .spec;
        assertThat(PacketCheck.problems(spec, 5, "net")).singleElement().satisfies(problem -> assertThat(problem.what())
                .contains("5 NPUs")
                .contains("4 hosts"));
        assertThat(PacketCheck.problems(spec, 4, "net"))
                .extracting(problem -> problem.what())
                .anyMatch(what -> what.contains("buffer of switch 4"))
                .anyMatch(what -> what.contains("no thresholds for marks"));
    }
}
