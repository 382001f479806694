package dev.stagesim.stage.astrasim;

import dev.stagesim.model.Problem;
import dev.stagesim.settings.CongestionSettings;
import dev.stagesim.settings.PacketSettings;
import dev.stagesim.sim.network.packet.PacketSpec;
import java.util.ArrayList;
import java.util.List;

/** Keys of {@code network.packet} that were set and that nothing reads, for what other keys say. */
final class IdlePacketKeys {
    private static final String SECTION = "network.packet.";

    private final PacketSettings.Keys keys;
    private final PacketSpec.Compat compat;
    private final List<Problem> problems = new ArrayList<>();

    IdlePacketKeys(PacketSettings.Keys keys, PacketSpec.Compat compat) {
        this.keys = keys;
        this.compat = compat;
    }

    List<Problem> problems() {
        transport();
        PacketSettings.Switches switches = keys.switches();
        PacketSettings.Switches usual = PacketDefaults.SWITCHES;
        if (!switches.marking()) {
            String why = "with switches.marking=false, when no queue marks";
            idle("switches.mark_rates", !switches.markRates().equals(usual.markRates()), why);
            idle("switches.mark_min", !switches.markMin().equals(usual.markMin()), why);
            idle("switches.mark_max", !switches.markMax().equals(usual.markMax()), why);
            idle("switches.mark_probability", switches.markProbability() != usual.markProbability(), why);
        }
        PacketSettings.LinkDown down = keys.linkDown();
        if (down.at().isEmpty()) {
            String why = "without link_down.at, when the cable fails";
            idle("link_down.a", down.a() != 0, why);
            idle("link_down.b", down.b() != 0, why);
        }
        return problems;
    }

    private void transport() {
        PacketSettings.Transport transport = keys.transport();
        PacketSettings.Transport usual = PacketDefaults.TRANSPORT;
        if (compat == PacketSpec.Compat.NS3) {
            String why = "with compat=ns3: the reference never sends again by itself";
            idle("transport.retransmit", transport.retransmit() != usual.retransmit(), why);
            idle("transport.retries", transport.retries() != usual.retries(), why);
        }
        idle(
                "transport.chunk",
                transport.chunk() != usual.chunk() && transport.ackFrom() == 1 && !transport.backToChunk(),
                "with transport.ack_from=1, when every frame is acknowledged, and without back_to_chunk");
        boolean steady = keys.congestion() instanceof CongestionSettings.None;
        idle(
                "transport.scaled_window",
                !transport.scaledWindow() && (steady || !transport.window()),
                steady ? "with congestion.kind=none, when rates stay" : "with transport.window=false");
        idle(
                "transport.paced_by_rate",
                !transport.pacedByRate() && steady,
                "with congestion.kind=none, when rates stay");
    }

    private void idle(String key, boolean isSet, String why) {
        if (isSet) {
            problems.add(Problem.of("config error", SECTION + key, "has no effect " + why));
        }
    }
}
