package dev.stagesim.io.packet;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec.MarkThreshold;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Normal form of a packet network: settings without effect on any message have their defaults. */
public final class PlainSpec {
    private PlainSpec() {}

    /** Returns the normal form. Networks with equal normal forms take equal time for equal messages. */
    public static PacketSpec of(PacketSpec spec) {
        TransportSpec transport = spec.transport();
        SwitchSpec switches = spec.switches();
        long[] rates = spec.topology().rates();
        List<MarkThreshold> marks = switches.marks().stream()
                .filter(mark -> switches.marking() && Arrays.binarySearch(rates, mark.rate()) >= 0)
                .sorted(Comparator.comparingLong(MarkThreshold::rate))
                .toList();
        return new PacketSpec(
                spec.topology(),
                KeyRecord.reset(
                        TransportSpec.class,
                        transport,
                        transport.idle(spec.congestion(), spec.compat()).keySet()),
                spec.congestion(),
                new SwitchSpec(
                        switches.bufferBytes(),
                        switches.headroomFactor(),
                        switches.pauses(),
                        switches.marking(),
                        marks),
                spec.lossRate(),
                spec.linkDown(),
                spec.monitor().map(monitor -> new PacketSpec.Monitor(0, Long.MAX_VALUE, 1)),
                spec.traced(),
                spec.paths(),
                spec.compat());
    }
}
