package dev.stagesim.sim.network.packet;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.congestion.Dcqcn;
import dev.stagesim.sim.network.packet.congestion.Dctcp;
import dev.stagesim.sim.network.packet.fastpath.BusyPeriod;
import dev.stagesim.sim.network.packet.fastpath.BusyPeriodCache;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.switching.FrameTracer;
import dev.stagesim.sim.network.packet.switching.SwitchSide;
import dev.stagesim.sim.network.packet.switching.Wire;
import dev.stagesim.sim.network.packet.topology.PacketTopologies;
import dev.stagesim.sim.network.packet.topology.PacketTopologies.Tier;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replaying a cached busy period gives exactly the results of simulating every frame. */
final class BusyPeriodCacheTest {
    private static final long[] RATES = {25, 100, 400};

    /** The results of a run. */
    private record Outcome(
            List<Long> received, List<PortUse> ports, List<String> log, long end, long events, long streams) {}

    private static PacketTopology topology(RandomStream random) {
        Tier edge = new Tier(RATES[(int) random.below(RATES.length)] * PacketRuns.GIGA, random.below(2000));
        Tier up = new Tier(RATES[(int) random.below(RATES.length)] * PacketRuns.GIGA, random.below(2000));
        return switch ((int) random.below(4)) {
            case 0 -> PacketTopologies.leafSpine(6, 2, 2, 1, edge, up);
            case 1 -> PacketTopologies.star(5, 2, edge);
            default -> PacketTopologies.star(3 + (int) random.below(4), 1, edge);
        };
    }

    private static PacketRuns network(RandomStream random) {
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
                    case 1 -> new Dctcp.Spec(0.0625, 1000, 100);
                    default -> new CongestionSpec.None();
                };
        List<SwitchSpec.MarkThreshold> marks = new ArrayList<>();
        for (long rate : topology.rates()) {
            marks.add(new SwitchSpec.MarkThreshold(rate, random.below(2) * 3000, 20_000, 0.5));
        }
        int cables = topology.cables().size();
        long buffer = random.below(4) > 0 ? 16 << 20 : 4096L * cables + (1L << random.below(18));
        PacketRuns runs = new PacketRuns(topology);
        runs.spec = PacketRuns.spec(
                topology,
                Map.ofEntries(
                        entry(
                                "transport",
                                KeyRecord.of(
                                        TransportSpec.class,
                                        Map.ofEntries(
                                                entry("payload", 500 + (int) random.below(1000)),
                                                entry("window", random.below(4) > 0),
                                                entry("largestWindow", random.below(2) == 0),
                                                entry("scaledWindow", random.below(2) == 0),
                                                entry("pacedByRate", random.below(2) == 0),
                                                entry("acksBeatPause", random.below(2) == 0),
                                                entry("retransmit", random.below(3) == 0 ? 20 : 2000),
                                                entry("retries", 3)))),
                        entry("congestion", congestion),
                        entry(
                                "switches",
                                new SwitchSpec(
                                        buffer,
                                        (int) random.below(4),
                                        random.below(8) > 0,
                                        random.below(3) == 0,
                                        marks)),
                        entry("compat", compat)));
        if (random.below(2) == 0) {
            runs.sampleEvery(random.below(2) == 0 ? 1 + random.below(3000) : 5000 + random.below(5000));
        }
        return runs;
    }

    /** Returns repeated messages between different hosts in different orders, occasionally with one more or fewer. */
    private static long[] messages(PacketRuns runs, RandomStream random) {
        int hosts = runs.spec.topology().hosts();
        int flows = 2 + (int) random.below(5);
        int[][] flow = new int[flows][];
        for (int i = 0; i < flows; i++) {
            int source = (int) random.below(hosts);
            int bytes = 1 + (int) random.below(1L << (4 + random.below(12)));
            flow[i] = new int[] {source, (source + 1 + (int) random.below(hosts - 1)) % hosts, bytes};
            if (i > 0 && random.below(2) == 0) {
                flow[i][2] = flow[0][2];
            }
        }
        long[] offset = new long[flows];
        boolean isSpread = random.below(2) == 0;
        for (int i = 1; isSpread && i < flows; i++) {
            offset[i] = random.below(4) * random.below(3000);
        }
        if (isSpread && flows > 3 && random.below(2) == 0) {
            pairInMidRound(flow, offset, hosts);
        }
        int rounds = 3 + (int) random.below(4);
        long period = 1L << (12 + random.below(8));
        boolean isRotated = random.below(2) == 0;
        List<Long> times = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            int turn = isRotated ? round : 0;
            int left = random.below(4) == 0 ? (int) random.below(flows) : -1;
            for (int i = 0; i < flows; i++) {
                if (i == left) {
                    continue;
                }
                boolean follows = !times.isEmpty() && i > 1 && !isSpread && flows % 2 == 0;
                if (follows) {
                    runs.followers.put(times.size() - 1, new long[] {times.size(), 7});
                }
                runs.send((flow[i][0] + turn) % hosts, (flow[i][1] + turn) % hosts, flow[i][2]);
                times.add(follows ? -1 : round * period + offset[i]);
            }
            if (random.below(4) == 0) {
                runs.send((int) random.below(hosts - 1), hosts - 1, 1 + (int) random.below(3000));
                times.add(round * period + random.below(period));
            }
        }
        for (int i = 0; i < 3; i++) {
            times.add(random.below(rounds * period));
        }
        return times.stream().mapToLong(time -> time).toArray();
    }

    /** Makes the last two flows start at one host in the same ns while it acknowledges the first. */
    private static void pairInMidRound(int[][] flow, long[] offset, int hosts) {
        int last = flow.length - 1;
        flow[0][2] = 100_000;
        flow[last - 1][0] = flow[0][1];
        flow[last - 1][1] = (flow[0][1] + 1) % hosts;
        flow[last][0] = flow[0][1];
        flow[last][1] = (flow[0][1] + 2) % hosts;
        offset[last - 1] += 2000;
        offset[last] = offset[last - 1];
    }

    private static Outcome run(long seed, boolean followEveryFrame, long[] handled) {
        RandomStream random = RandomStream.of(seed, "rounds");
        PacketRuns runs = network(random);
        long[] received = runs.runAt(messages(runs, random), followEveryFrame);
        List<PortUse> ports = new ArrayList<>();
        runs.network.ports(ports::add);
        handled[0] += runs.network.handledEvents();
        return new Outcome(
                Arrays.stream(received).boxed().toList(),
                ports,
                List.copyOf(runs.log),
                runs.network.now(),
                runs.network.referenceEvents(),
                runs.network.randomStreams());
    }

    @Test
    void keepsResultsWhenBusyPeriodsRepeat() {
        compareRounds(200);
    }

    @Test
    @Tag("long")
    void keepsResultsWhenManyBusyPeriodsRepeat() {
        compareRounds(3000);
    }

    private static void compareRounds(int examples) {
        long[] handled = new long[1];
        long[] plain = new long[1];
        qt().withExamples(examples).forAll(longs().all()).checkAssert(seed -> assertThat(run(seed, false, handled))
                .isEqualTo(run(seed, true, plain)));
        assertThat(handled[0]).isLessThan(plain[0]);
    }

    /**
     * Eight rounds of a ring on a star with different host orders. The first is simulated, the other seven are
     * replayed.
     */
    @Test
    void simulatesRepeatedRingOnce() {
        PacketRuns runs = new PacketRuns(PacketRuns.star(8));
        runs.sampleEvery(5000);
        long[] at = new long[64];
        for (int i = 0; i < at.length; i++) {
            int source = (i + i / 8) % 8;
            runs.send(source, (source + 1) % 8, 1_000_000);
            at[i] = i / 8 * 1_000_123L;
        }
        long[] received = runs.runAt(at, false);
        List<String> log = List.copyOf(runs.log);
        long handled = runs.network.handledEvents();
        long events = runs.network.referenceEvents();
        runs.log.clear();
        assertThat(runs.runAt(at, true)).containsExactly(received);
        assertThat(runs.log).isEqualTo(log);
        assertThat(runs.network.referenceEvents()).isEqualTo(events);
        assertThat(handled * 7).isLessThan(runs.network.handledEvents());
    }

    /**
     * An additional flow starts when one of two flows has ended and the other is active, so both are simulated again.
     */
    @Test
    void fallsBackToStartWhenBusyPeriodDiffers() {
        for (long extra = 3_000; extra < 40_000; extra += 777) {
            PacketRuns runs = new PacketRuns(PacketRuns.star(4));
            runs.send(0, 3, 50_000).send(1, 3, 200_000);
            runs.send(0, 3, 50_000).send(1, 3, 200_000).send(2, 3, 5000);
            runs.send(2, 0, 50_000).send(1, 0, 200_000).send(3, 0, 5000);
            long[] at = {0, 0, 100_000, 100_000, 100_000 + extra, 200_000, 200_000, 200_000 + extra};
            long[] received = runs.runAt(at, false);
            List<String> log = List.copyOf(runs.log);
            long events = runs.network.referenceEvents();
            runs.log.clear();
            assertThat(runs.runAt(at, true)).containsExactly(received);
            assertThat(runs.log).isEqualTo(log);
            assertThat(runs.network.referenceEvents()).isEqualTo(events);
        }
    }

    private static BusyPeriod sampled(int changes) {
        BusyPeriod period = new BusyPeriod();
        for (int i = 0; i < changes; i++) {
            period.queues.add(i, 0, i);
        }
        return period;
    }

    /** Busy periods with equal starts replace one another, and a period above the memory limit is not cached. */
    @Test
    void limitsMemoryOfBusyPeriods() {
        PacketRuns runs = new PacketRuns(PacketRuns.star(2));
        State state = new State(runs.spec, PacketListener.NONE);
        FrameTracer tracer = new FrameTracer(state);
        SwitchSide switches = new SwitchSide(
                state, new Wire(state), tracer, runs.spec.congestion().telemetry(state));
        BusyPeriodCache rounds = new BusyPeriodCache(state, new FlowQueues(state), switches);
        rounds.store(sampled(1000));
        rounds.store(sampled(500));
        assertThat(rounds.words()).isEqualTo(1000);
        rounds.store(sampled((1 << 20) + 1));
        assertThat(rounds.words()).isEqualTo(1000);
    }

    /** One of two flows that started in the same ns is missing: the one with the earlier last leg, or the later one. */
    @Test
    void fallsBackWhenFlowOfBusyPeriodIsMissing() {
        for (int left = 1; left < 3; left++) {
            PacketRuns runs = new PacketRuns(PacketRuns.star(4));
            runs.send(1, 0, 20_000).send(2, 3, 5000).send(3, 2, 1000).send(1, 0, 20_000);
            runs.send(left == 1 ? 2 : 3, left == 1 ? 3 : 2, left == 1 ? 5000 : 1000);
            long[] at = {0, 500, 500, 100_000, 100_500};
            long[] received = runs.runAt(at, false);
            List<String> log = List.copyOf(runs.log);
            runs.log.clear();
            assertThat(runs.runAt(at, true)).containsExactly(received);
            assertThat(runs.log).isEqualTo(log);
        }
    }

    /**
     * Two flows of a host start in the same ns while it may be sending an acknowledgement. If it is, the last turn of
     * the previous round decides which flow goes first.
     */
    @Test
    void continuesTurnsAfterBusyPeriod() {
        for (long offset = 3_000; offset < 3_200; offset++) {
            PacketRuns runs = new PacketRuns(PacketRuns.star(4));
            long[] at = new long[12];
            for (int i = 0; i < at.length; i += 3) {
                runs.send(1, 0, 200_000).send(0, 2, 1000).send(0, 3, 5000);
                at[i] = i * 100_000L;
                at[i + 1] = at[i] + offset;
                at[i + 2] = at[i] + offset;
            }
            long[] received = runs.runAt(at, false);
            List<String> log = List.copyOf(runs.log);
            long handled = runs.network.handledEvents();
            runs.log.clear();
            assertThat(runs.runAt(at, true)).containsExactly(received);
            assertThat(runs.log).isEqualTo(log);
            assertThat(handled * 5).isLessThan(runs.network.handledEvents() * 3);
        }
    }
}
