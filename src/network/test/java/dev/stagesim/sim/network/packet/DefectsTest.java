package dev.stagesim.sim.network.packet;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Defects of the reference: reproduced with {@code compat=ns3}, fixed in the default mode. */
final class DefectsTest {
    private static final SwitchSpec PLAIN = new SwitchSpec(32 << 20, 3, true, false, List.of());

    private static PacketRuns runs(Compat compat, double loss, TransportSpec transport) {
        PacketRuns runs =
                new PacketRuns(PacketRuns.pair(100, 1000)).with(new CongestionSpec.None(), PLAIN, loss, compat);
        runs.spec = PacketRuns.spec(
                runs.spec.topology(),
                Map.ofEntries(
                        entry("transport", transport),
                        entry("congestion", runs.spec.congestion()),
                        entry("switches", runs.spec.switches()),
                        entry("lossRate", loss),
                        entry("compat", compat)));
        return runs;
    }

    private static TransportSpec acknowledgedFrom(long bytes, long chunk) {
        return KeyRecord.of(TransportSpec.class, Map.of("ackFrom", bytes, "chunk", chunk));
    }

    /** Frames and acknowledgements are lost. The sender goes back, and duplicates are acknowledged again. */
    @Test
    void acknowledgesDuplicates() {
        PacketRuns ours = runs(Compat.NONE, 0.15, PacketRuns.transport(2000));
        for (int i = 0; i < 30; i++) {
            ours.send(0, 1, 900);
        }
        assertThat(ours.run()).doesNotContain(-1);
        assertThat(ours.network.totals().retransmissions()).isGreaterThan(3);
    }

    @Test
    void acknowledgesLastByteWithAnyInterval() {
        assertThat(runs(Compat.NS3, 0, acknowledgedFrom(900_000, 7))
                        .send(0, 1, 3000)
                        .run())
                .containsExactly(-1);
        assertThat(runs(Compat.NONE, 0, acknowledgedFrom(900_000, 7))
                        .send(0, 1, 3000)
                        .run())
                .doesNotContain(-1);
    }

    /** The reference samples queues forever, so a run with a waiting flow never ends. */
    @ParameterizedTest
    @EnumSource(Compat.class)
    void endsRunWithoutPendingEvents(Compat compat) {
        PacketRuns runs = new PacketRuns(PacketRuns.star(3)).with(new CongestionSpec.None(), PLAIN, 1, compat);
        runs.sampleEvery(100);
        assertThat(runs.send(0, 1, 3000).run()).containsExactly(-1);
        assertThat(runs.network.now()).isLessThan(2_000_000_000L);
        assertThat(runs.network.openFlows()).hasSize(1);
    }

    /**
     * Two equal pairs of hosts with a lossy cable each. In the reference, the k-th frame is lost on both cables or on
     * neither.
     */
    @ParameterizedTest
    @EnumSource(Compat.class)
    void appliesLossRateOfCable(Compat compat) {
        long rate = 100 * PacketRuns.GIGA;
        for (double loss : new double[] {0.02, 0.1, 0.3}) {
            PacketRuns runs = new PacketRuns(new PacketTopology(
                            4,
                            List.of(),
                            List.of(
                                    new PacketTopology.Cable(0, 1, rate, 1000, loss),
                                    new PacketTopology.Cable(2, 3, rate, 1000, loss))))
                    .with(new CongestionSpec.None(), PLAIN, 0, compat);
            for (int message = 0; message < 20; message++) {
                runs.send(0, 1, 3000 + message).send(2, 3, 3000 + message);
            }
            long[] at = runs.run();
            long[] first = IntStream.range(0, 20).mapToLong(i -> at[2 * i]).toArray();
            long[] second = IntStream.range(0, 20).mapToLong(i -> at[2 * i + 1]).toArray();
            assertThat(Arrays.equals(first, second)).isEqualTo(compat == Compat.NS3);
        }
    }
}
