package dev.stagesim.sim.network.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.network.packet.PacketSpec.Compat;
import dev.stagesim.sim.network.packet.PacketTopologies.Tier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Flows that pass as one event leave everything as it is frame by frame. */
final class TrainsTest {
    private static final long[] RATES = {25, 40, 100, 400};

    /** What a run leaves, and how many events it took. */
    private record Outcome(List<Long> received, List<PortUse> ports, List<String> flows, long end, long events) {}

    private static PacketTopology topology(RandomStream random) {
        Tier edge = new Tier(RATES[(int) random.below(RATES.length)] * PacketRuns.GIGA, random.below(3000));
        Tier up = new Tier(RATES[(int) random.below(RATES.length)] * PacketRuns.GIGA, random.below(3000));
        return switch ((int) random.below(4)) {
            case 0 -> PacketRuns.pair(25, 1 + random.below(5000));
            case 1 -> PacketTopologies.star(4, 1 + (int) random.below(2), edge);
            case 2 -> PacketTopologies.leafSpine(6, 2, 2, 1, edge, up);
            default -> PacketTopologies.torus(List.of(3, 2), 1, 1, edge, up);
        };
    }

    private static Outcome run(long seed, boolean followEveryFrame) {
        RandomStream random = RandomStream.of(seed, "trains");
        PacketRuns runs = new PacketRuns(topology(random));
        runs.with(
                random.below(2) == 0
                        ? new CongestionSpec.None()
                        : new CongestionSpec.Dctcp(0.0625, 1_000_000_000, 100_000_000),
                new SwitchSpec(8 << 20, 3, true, false, List.of()),
                0,
                random.below(2) == 0 ? Compat.NONE : Compat.NS3);
        if (random.below(2) == 0) {
            runs.sampleEvery(1 + random.below(300));
        }
        int hosts = runs.spec.topology().hosts();
        int count = 1 + (int) random.below(12);
        long[] times = new long[count];
        // From messages far apart, which pass alone, to such that meet all the time.
        long spread = 1L << random.below(20);
        for (int i = 0; i < count; i++) {
            int source = (int) random.below(hosts);
            int destination = (source + 1 + (int) random.below(hosts - 1)) % hosts;
            runs.send(source, destination, 1 + (int) random.below(1L << random.below(18)));
            times[i] = random.below(spread + 1) * count;
        }
        long[] received = runs.runAt(times, followEveryFrame);
        List<PortUse> ports = new ArrayList<>();
        runs.network.ports(ports::add);
        return new Outcome(
                Arrays.stream(received).boxed().toList(),
                ports,
                List.copyOf(runs.log),
                runs.network.now(),
                runs.spec.compat() == Compat.NS3 ? runs.network.referenceEvents() : 0);
    }

    @Test
    void trainsChangeNothing() {
        qt().withExamples(1500).forAll(longs().all()).checkAssert(seed -> assertThat(run(seed, false))
                .isEqualTo(run(seed, true)));
    }

    /** A run that ends when a sample is due: which of the two came first depended on the train. */
    @Test
    void aTrainDoesNotEndOnASample() {
        long seed = -9223372036854775275L;
        assertThat(run(seed, false)).isEqualTo(run(seed, true));
    }

    @Test
    void aMessageOnAnEmptyNetworkIsOneTrain() {
        PacketRuns runs = new PacketRuns(PacketRuns.star(2)).send(0, 1, 5_000_111);
        long[] at = {0};
        long train = runs.runAt(at, false)[0];
        long handled = runs.network.handledEvents();
        assertThat(runs.runAt(at, true)).containsExactly(train);
        assertThat(handled).isLessThan(6);
        assertThat(runs.network.handledEvents()).isGreaterThan(20_000);
    }
}
