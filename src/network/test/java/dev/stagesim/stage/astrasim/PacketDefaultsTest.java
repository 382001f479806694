package dev.stagesim.stage.astrasim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.network.PacketSettings;
import dev.stagesim.network.PacketTopologySettings;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PacketDefaultsTest {
    private static final PacketSettings.Keys DEFAULTS = KeyRecord.defaults(PacketSettings.Keys.class);

    private static PacketSettings.Keys keys(
            PacketTopologySettings topology, TransportSpec transport, CongestionSpec congestion) {
        return KeyRecord.with(
                PacketSettings.Keys.class,
                DEFAULTS,
                Map.of("topology", topology, "transport", transport, "congestion", congestion, "samplePeriod", 5));
    }

    @Test
    void matchesDefaultsOfKeys() {
        assertThat(Binder.bind(MapNode.empty(), PacketSettings.Keys.class)).isEqualTo(DEFAULTS);
    }

    @Test
    void reportsEveryDifferingKey() {
        TransportSpec transport = KeyRecord.of(TransportSpec.class, Map.of("acksBeatPause", true, "retries", 9));
        PacketSettings.Keys given =
                keys(new PacketTopologySettings.Star(8, 2, 400, 500), transport, new CongestionSpec.None());
        assertThat(KeyRecord.differences("network.packet", DEFAULTS, given))
                .containsExactly(
                        "network.packet.topology.cards",
                        "network.packet.transport.acks_beat_pause",
                        "network.packet.transport.retries",
                        "network.packet.congestion.kind",
                        "network.packet.sample_period");
        assertThat(KeyRecord.differences(
                        "network.packet",
                        DEFAULTS,
                        new PacketSettings.File(Path.of("config.txt"), Optional.empty(), Optional.empty(), true, true)))
                .containsExactly("network.packet.kind");
    }

    @Test
    void rejectsUnusedKeys() {
        assertThat(PacketResolver.idle(DEFAULTS, Compat.NONE)).isEmpty();
        assertThat(PacketResolver.idle(DEFAULTS, Compat.NS3)).isEmpty();
        TransportSpec transport = KeyRecord.of(
                TransportSpec.class,
                Map.of("chunk", 8000, "scaledWindow", false, "pacedByRate", false, "retransmit", 3000));
        List<Problem> problems =
                PacketResolver.idle(keys(DEFAULTS.topology(), transport, new CongestionSpec.None()), Compat.NS3);
        assertThat(problems)
                .extracting(Problem::where)
                .containsExactly(
                        "network.packet.transport.chunk",
                        "network.packet.transport.scaled_window",
                        "network.packet.transport.paced_by_rate",
                        "network.packet.transport.retransmit");
        assertThat(PacketResolver.idle(keys(DEFAULTS.topology(), transport, DEFAULTS.congestion()), Compat.NONE))
                .extracting(Problem::where)
                .containsExactly("network.packet.transport.chunk");
    }
}
