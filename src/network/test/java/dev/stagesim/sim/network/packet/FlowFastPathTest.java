package dev.stagesim.sim.network.packet;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.congestion.Dcqcn;
import dev.stagesim.sim.network.packet.congestion.Dctcp;
import dev.stagesim.sim.network.packet.congestion.Hpcc;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import dev.stagesim.sim.network.packet.state.PathSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopologies;
import dev.stagesim.sim.network.packet.topology.PacketTopologies.Tier;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Flows that are simulated as one event give exactly the results of simulating every frame. */
final class FlowFastPathTest {
    private static final long[] RATES = {25, 40, 100, 400};

    /** The results of a run, and the number of its events. */
    private record Outcome(List<Long> received, List<PortUse> ports, List<String> flows, long end, long events) {}

    private static PacketTopology topology(RandomStream random) {
        Tier edge = new Tier(RATES[(int) random.below(RATES.length)] * PacketRuns.GIGA, random.below(3000));
        Tier up = new Tier(RATES[(int) random.below(RATES.length)] * PacketRuns.GIGA, random.below(3000));
        return switch ((int) random.below(6)) {
            case 0 -> PacketRuns.pair(25, 1 + random.below(5000));
            case 1 -> PacketTopologies.star(4, 1 + (int) random.below(2), edge);
            case 2 -> PacketTopologies.leafSpine(6, 2, 2, 1, edge, up);
            case 3, 4 -> directRing(3 + (int) random.below(5), edge);
            default -> PacketTopologies.torus(List.of(3, 2), 1, 1, edge, up);
        };
    }

    /** Returns hosts in a ring without a switch. */
    private static PacketTopology directRing(int hosts, Tier tier) {
        List<PacketTopology.Cable> cables = new ArrayList<>();
        for (int host = 0; host < hosts; host++) {
            cables.add(new PacketTopology.Cable(host, (host + 1) % hosts, tier.rate(), tier.delay(), 0));
        }
        return new PacketTopology(hosts, List.of(), cables);
    }

    /**
     * Returns messages that never overlap, messages that always overlap, or rounds of equal messages on disjoint paths.
     */
    private static long[] messages(PacketRuns runs, RandomStream random) {
        PacketTopology topology = runs.spec.topology();
        int hosts = topology.hosts();
        boolean isSideBySide = random.below(2) == 0 || topology.switches().isEmpty();
        int count = isSideBySide ? hosts : 1 + (int) random.below(12);
        int busyPeriods = isSideBySide ? 1 + (int) random.below(4) : 1;
        long spread = 1L << random.below(20);
        long[] times = new long[count * busyPeriods + 3];
        boolean areEquivalentPaths = random.below(3) > 0;
        int bytes = 1 + (int) random.below(1L << random.below(18));
        long delay = random.below(3) * random.below(50);
        for (int i = 0; i < count * busyPeriods; i++) {
            int source = isSideBySide ? i % count : (int) random.below(hosts);
            int step = isSideBySide ? 1 : 1 + (int) random.below(hosts - 1);
            runs.send(source, (source + step) % hosts, areEquivalentPaths ? bytes : 1 + (int) random.below(2L * bytes));
            times[i] = isSideBySide ? random.below(4) / 3 * random.below(100) : random.below(spread + 1) * count;
            if (i >= count) {
                times[i] = -1;
                runs.followers.put(i - count, new long[] {i, delay});
            }
        }
        for (int i = count * busyPeriods; i < times.length; i++) {
            times[i] = random.below(100_000);
        }
        return times;
    }

    private static Outcome run(long seed, boolean followEveryFrame) {
        RandomStream random = RandomStream.of(seed, "trains");
        PacketRuns runs = new PacketRuns(topology(random));
        runs.with(
                random.below(2) == 0 ? new CongestionSpec.None() : new Dctcp.Spec(0.0625, 1000, 100),
                new SwitchSpec(8 << 20, 3, true, false, List.of()),
                0,
                random.below(2) == 0 ? Compat.NONE : Compat.NS3);
        if (random.below(2) == 0) {
            runs.sampleEvery(1 + random.below(300));
        }
        long[] times = messages(runs, random);
        long[] received = runs.runAt(times, followEveryFrame);
        List<PortUse> ports = new ArrayList<>();
        runs.network.ports(ports::add);
        return new Outcome(
                Arrays.stream(received).boxed().toList(),
                ports,
                List.copyOf(runs.log),
                runs.network.now(),
                runs.network.referenceEvents());
    }

    @Test
    void keepsResultsWithTrains() {
        compareTrains(100);
    }

    @Test
    @Tag("long")
    void keepsResultsWithManyTrains() {
        compareTrains(1500);
    }

    private static void compareTrains(int examples) {
        qt().withExamples(examples).forAll(longs().all()).checkAssert(seed -> assertThat(run(seed, false))
                .isEqualTo(run(seed, true)));
    }

    /**
     * Runs with the features that {@link #run} does not cover: congestion control, small buffers, failing cables,
     * seeds, windows, pacing.
     */
    private static Outcome wild(long seed, boolean followEveryFrame) {
        RandomStream random = RandomStream.of(seed, "wild trains");
        PacketTopology topology = topology(random);
        Compat compat = random.below(2) == 0 ? Compat.NONE : Compat.NS3;
        CongestionSpec congestion =
                switch ((int) random.below(4)) {
                    case 0 ->
                        KeyRecord.of(
                                Dcqcn.Spec.class,
                                Map.ofEntries(
                                        entry("alphaPeriod", 1),
                                        entry("increasePeriod", 50),
                                        entry("gain", 0.01),
                                        entry("recoverySteps", 1),
                                        entry("additive", 1000),
                                        entry("hyper", 1000),
                                        entry("clampTarget", true)));
                    case 1 -> new Hpcc.Spec(0.95, 5, 1000, 100, true, random.below(2) == 0, false, 1);
                    case 2 -> new Dctcp.Spec(0.0625, 1000, 100);
                    default -> new CongestionSpec.None();
                };
        int ports = topology.cables().size();
        long buffer = random.below(3) == 0 ? 8 << 20 : 4096L * ports + (1L << random.below(15));
        List<SwitchSpec.MarkThreshold> marks = new ArrayList<>();
        for (long rate : topology.rates()) {
            marks.add(new SwitchSpec.MarkThreshold(rate, 1000, 4000, 0.5));
        }
        SwitchSpec switches =
                new SwitchSpec(buffer, (int) random.below(4), random.below(4) > 0, random.below(2) == 0, marks);
        PacketTopology.Cable cut =
                topology.cables().get((int) random.below(topology.cables().size()));
        Optional<PacketSpec.LinkDown> linkDown = random.below(3) == 0
                ? Optional.of(new PacketSpec.LinkDown(random.below(200_000), cut.a(), cut.b()))
                : Optional.empty();
        PacketRuns runs = new PacketRuns(topology);
        runs.spec = PacketRuns.spec(
                topology,
                Map.ofEntries(
                        entry(
                                "transport",
                                KeyRecord.of(
                                        TransportSpec.class,
                                        Map.ofEntries(
                                                entry("payload", 500 + (int) random.below(4000)),
                                                entry("window", random.below(4) > 0 || congestion instanceof Hpcc.Spec),
                                                entry("largestWindow", random.below(2) == 0),
                                                entry("scaledWindow", random.below(2) == 0),
                                                entry("pacedByRate", random.below(2) == 0),
                                                entry("acksBeatPause", random.below(2) == 0),
                                                entry("retransmit", 200),
                                                entry("retries", 3)))),
                        entry("congestion", congestion),
                        entry("switches", switches),
                        entry("linkDown", linkDown),
                        entry(
                                "paths",
                                compat == Compat.NONE
                                        ? new PathSpec((int) random.below(5), false, false, List.of())
                                        : PathSpec.BY_FLOW),
                        entry("compat", compat)));
        long[] times = messages(runs, random);
        try {
            long[] received = runs.runAt(times, followEveryFrame);
            List<PortUse> used = new ArrayList<>();
            runs.network.ports(used::add);
            return new Outcome(
                    Arrays.stream(received).boxed().toList(),
                    used,
                    List.copyOf(runs.log),
                    runs.network.now(),
                    runs.network.referenceEvents());
        } catch (StageException unreachable) {
            return new Outcome(
                    List.of(), List.of(), List.of(unreachable.problems().get(0).render()), 0, 0);
        }
    }

    @Test
    void keepsResultsWithTrainsOnRandomNetworks() {
        compareOnAnyNetwork(100);
    }

    @Test
    @Tag("long")
    void keepsResultsWithManyTrainsOnRandomNetworks() {
        compareOnAnyNetwork(1500);
    }

    private static void compareOnAnyNetwork(int examples) {
        qt().withExamples(examples).forAll(longs().all()).checkAssert(seed -> assertThat(wild(seed, false))
                .isEqualTo(wild(seed, true)));
    }

    /** A switch that would drop every frame also drops the frames of a train, in both directions. */
    @Test
    void leavesFastPathWhenSwitchWouldDropTrain() {
        for (int payload : new int[] {1000, 100}) {
            PacketRuns runs = new PacketRuns(PacketRuns.star(8));
            // A threshold of 512 bytes, or of 40, below the acknowledgements of 48 bytes.
            long pool = payload == 1000 ? 4096 : 320;
            runs.with(
                    new CongestionSpec.None(),
                    new SwitchSpec(8 * 4096 + pool, 0, true, false, List.of()),
                    0,
                    Compat.NS3);
            runs.send(0, 1, payload * 20);
            assertThat(runs.runAt(new long[] {0}, false)).containsExactly(-1);
            assertThat(runs.runAt(new long[] {0}, true)).containsExactly(-1);
        }
    }

    /** The run ends when a sample is due. Once, the order of the two depended on the train. */
    @Test
    void leavesFastPathWhenTrainEndsOnSample() {
        long seed = -9223372036854775275L;
        assertThat(run(seed, false)).isEqualTo(run(seed, true));
    }

    @Test
    void simulatesDisjointFlowsAsTrains() {
        PacketRuns runs = new PacketRuns(directRing(8, new Tier(400 * PacketRuns.GIGA, 500)));
        long[] at = new long[8 * 7];
        for (int i = 0; i < at.length; i++) {
            runs.send(i % 8, (i + 1) % 8, 1_000_000);
            at[i] = i < 8 ? 0 : -1;
            runs.followers.put(i - 8, new long[] {i, 10});
        }
        long[] received = runs.runAt(at, false);
        List<String> log = List.copyOf(runs.log);
        long handled = runs.network.handledEvents();
        long reference = runs.network.referenceEvents();
        runs.log.clear();
        assertThat(runs.runAt(at, true)).containsExactly(received);
        assertThat(runs.log).isEqualTo(log);
        assertThat(runs.network.referenceEvents()).isEqualTo(reference);
        assertThat(handled).isLessThan(56 * 6);
        assertThat(runs.network.handledEvents()).isGreaterThan(56 * 2000);
    }

    /** Timers expire several times during trains, and one of the flows overlaps another at the end. */
    @Test
    void keepsTimersOfLongTrains() {
        PacketRuns runs = new PacketRuns(directRing(5, new Tier(PacketRuns.GIGA, 20_000)));
        runs.send(3, 4, 700_000)
                .send(0, 1, 2_000_000)
                .send(2, 3, 1_500_000)
                .send(1, 0, 300_000)
                .send(2, 3, 1_234_567);
        long[] at = {0, 0, 1000, 9_000_000, 14_000_000};
        long[] received = runs.runAt(at, false);
        List<String> log = List.copyOf(runs.log);
        long events = runs.network.referenceEvents();
        long handled = runs.network.handledEvents();
        runs.log.clear();
        assertThat(runs.runAt(at, true)).containsExactly(received);
        assertThat(runs.log).isEqualTo(log);
        assertThat(runs.network.referenceEvents()).isEqualTo(events);
        assertThat(runs.network.handledEvents()).isGreaterThan(handled);
    }

    @Test
    void simulatesSingleMessageAsOneTrain() {
        PacketRuns runs = new PacketRuns(PacketRuns.star(2)).send(0, 1, 5_000_111);
        long[] at = {0};
        long train = runs.runAt(at, false)[0];
        long handled = runs.network.handledEvents();
        assertThat(runs.runAt(at, true)).containsExactly(train);
        assertThat(handled).isLessThan(7);
        assertThat(runs.network.handledEvents()).isGreaterThan(20_000);
    }
}
