package dev.stagesim.io.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.congestion.Dcqcn;
import dev.stagesim.sim.network.packet.congestion.Dctcp;
import dev.stagesim.sim.network.packet.congestion.Hpcc;
import dev.stagesim.sim.network.packet.congestion.HpccPint;
import dev.stagesim.sim.network.packet.congestion.Timely;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ConfigFilesTest {
    private static final String MINIMAL = "TOPOLOGY_FILE t.txt\nCC_MODE 12\nL2_ACK_INTERVAL 1\n";

    private static PacketConfig read(String text, Compat compat) {
        return ConfigFiles.parse(text, "c.txt", compat);
    }

    private static List<String> problems(String text, Compat compat) {
        return catchThrowableOfType(StageException.class, () -> read(text, compat)).problems().stream()
                .map(problem -> problem.where() + ": " + problem.what())
                .toList();
    }

    @Test
    void usesReferenceDefaultsForAbsentKeys() {
        PacketConfig config = read(MINIMAL, Compat.NS3);
        assertThat(config.transport().payload()).isEqualTo(1000);
        assertThat(config.transport().window()).isTrue();
        assertThat(config.transport().scaledWindow()).isFalse();
        assertThat(config.switches().bufferBytes()).isEqualTo(16 << 20);
        assertThat(config.switches().headroomFactor()).isEqualTo(3);
        assertThat(config.switches().pauses()).isTrue();
        assertThat(config.congestion()).isEqualTo(new CongestionSpec.None());
        assertThat(config.linkDown()).isEmpty();
    }

    @Test
    void readsEveryCongestionControl() {
        String rates = MINIMAL.replace("CC_MODE 12\n", "") + "RATE_AI 50Mb/s\nRATE_HAI 100Mb/s\nRP_TIMER 900\nCC_MODE ";
        assertThat(read(rates + 1, Compat.NS3).congestion())
                .isEqualTo(KeyRecord.of(Dcqcn.Spec.class, Map.of("increasePeriod", 900, "gain", 0)));
        assertThat(read(rates + 3, Compat.NS3).congestion()).isInstanceOf(Hpcc.Spec.class);
        assertThat(read(rates + 7, Compat.NS3).congestion()).isInstanceOf(Timely.Spec.class);
        assertThat(read(rates + 8, Compat.NS3).congestion()).isEqualTo(new Dctcp.Spec(0, 1000, 100));
        assertThat(read(rates + 10, Compat.NS3).congestion()).isInstanceOf(HpccPint.Spec.class);
        assertThat(read(rates + 99, Compat.NS3).congestion()).isInstanceOf(CongestionSpec.None.class);
        assertThat(problems(rates + 99, Compat.NONE)).singleElement().asString().contains("CC_MODE is 99");
    }

    @Test
    void readsJsonGroupsLikePairs() {
        String text =
                MINIMAL + "KMIN_MAP 1 100000000000 400\nKMAX_MAP 1 100000000000 1600\nPMAX_MAP 1 100000000000 0.2\n"
                        + "HAS_WIN 0\nLINK_DOWN 5 1 2\n";
        String json =
                """
                {"files": {"topology_file": "t.txt"},
                 "cc": {"cc_mode": 12, "l2_ack_interval": 1, "has_win": false, "link_down": "5 1 2"},
                 "switch": {"kmin_map": {"100000000000": 400}, "kmax_map": {"100000000000": 1600},
                            "pmax_map": {"100000000000": 0.2}}}
                """;
        assertThat(read(json, Compat.NONE)).isEqualTo(read(text, Compat.NONE));
        assertThat(read(text, Compat.NONE)
                        .switches()
                        .marksAt(100_000_000_000L)
                        .orElseThrow()
                        .maxBytes())
                .isEqualTo(1_600_000);
    }

    @Test
    void reportsAllProblemsWithLines() {
        assertThat(problems(MINIMAL + "PACKET_PAYLOAD_SIZE 0\nRATE_IA 5\nDATA_RATE 1Gbps\nPAUSE_TIME 9\n", Compat.NONE))
                .containsExactlyInAnyOrder(
                        "c.txt:4: PACKET_PAYLOAD_SIZE is 0, expected at least 1",
                        "c.txt:5: unknown key 'RATE_IA'",
                        "c.txt:6: DATA_RATE has no effect; the topology file gives the rate and delay of every link",
                        "c.txt:7: PAUSE_TIME is 9, which has no effect: a pause lasts until its end is announced;"
                                + " 0 turns pauses off, 5 leaves them on");
    }

    @Test
    void usesOutputNamesOfFile() {
        assertThat(read(MINIMAL, Compat.NONE).outputs()).isEqualTo(OutputNames.DEFAULT);
        assertThat(read(MINIMAL + "FCT_OUTPUT_FILE out/flows.txt\nPFC_OUTPUT_FILE p.log\n", Compat.NONE)
                        .outputs())
                .isEqualTo(new OutputNames("flows.txt", "p.log", "qlen.txt", "mix.tr"));
        assertThat(problems(MINIMAL + "FCT_OUTPUT_FILE a/x\nPFC_OUTPUT_FILE b/x\n", Compat.NONE))
                .containsExactly("c.txt:4: two outputs of a run have the name x");
        assertThat(problems(MINIMAL + "FCT_OUTPUT_FILE out/\n", Compat.NONE))
                .containsExactly("c.txt:4: FCT_OUTPUT_FILE is 'out/', expected a path that ends with a file name");
        assertThat(problems(MINIMAL + "TRACE_OUTPUT_FILE mix.tr\n", Compat.NONE))
                .singleElement()
                .asString()
                .contains("has no effect without a TRACE_FILE");
        assertThat(read(MINIMAL + "TRACE_OUTPUT_FILE mix.tr\nENABLE_TRACE 0\n", Compat.NONE)
                        .traceFile())
                .isEmpty();
    }

    @Test
    void rejectsFlowFile() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path config = files.getPath("/c.txt");
            Files.writeString(config, MINIMAL + "FLOW_FILE flow.txt\n");
            assertThat(ConfigFiles.read(config, Compat.NONE).warnings()).isEmpty();
            Files.writeString(files.getPath("/flow.txt"), "0\n");
            assertThat(ConfigFiles.read(config, Compat.NONE).warnings()).isEmpty();
            Files.writeString(files.getPath("/flow.txt"), "1\n0 1 3 100 5000 2\n");
            assertThatThrownBy(() -> ConfigFiles.read(config, Compat.NONE))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("its flows have no effect");
            assertThat(ConfigFiles.read(config, Compat.NS3).topologyFile()).isEqualTo("t.txt");
        }
    }

    @Test
    void rejectsSettingsThatHangReference() {
        assertThat(problems(MINIMAL.replace("INTERVAL 1", "INTERVAL 0"), Compat.NS3))
                .singleElement()
                .asString()
                .contains("no message ends");
        assertThat(problems(MINIMAL.replace("CC_MODE 12", "CC_MODE 1 RATE_AI 1Mbps RATE_HAI 1Mbps"), Compat.NS3))
                .singleElement()
                .asString()
                .contains("RP_TIMER is missing or 0");
        assertThat(problems("CC_MODE 12\n", Compat.NS3)).hasSize(2);
    }

    @Test
    void warnsAboutInputThatReferenceAccepts() {
        assertThat(read(MINIMAL + "NO_SUCH 1\n", Compat.NS3).warnings())
                .contains("c.txt:4: NO_SUCH is unknown and has no effect");
    }

    @Test
    void rejectsOverflowingBufferInDefaultMode() {
        assertThat(read(MINIMAL + "BUFFER_SIZE 4096\n", Compat.NS3).switches().bufferBytes())
                .isZero();
        assertThat(problems(MINIMAL + "BUFFER_SIZE 4096\n", Compat.NONE))
                .singleElement()
                .asString()
                .contains("BUFFER_SIZE is 4096");
    }
}
