package dev.stagesim.stage.astrasim;

import static dev.stagesim.stage.astrasim.TestRun.allReduce;
import static dev.stagesim.stage.astrasim.TestRun.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.hocon.ConfigFileReader;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.io.packet.PacketTables;
import dev.stagesim.io.packet.TopologyFiles;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.network.FabricSettings;
import dev.stagesim.network.NetworkSettings;
import dev.stagesim.network.NetworkSettings.Backend;
import dev.stagesim.network.PacketSettings;
import dev.stagesim.network.PacketTopologySettings;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.congestion.Dctcp;
import dev.stagesim.sim.network.packet.congestion.Hpcc;
import dev.stagesim.sim.network.packet.congestion.HpccPint;
import dev.stagesim.sim.network.packet.congestion.Timely;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Runs the stage on the packet network with the reference's files. */
final class PacketRunTest {
    private static final String CONFIG = "TOPOLOGY_FILE topo.txt\nCC_MODE 12\nL2_ACK_INTERVAL 1\nL2_CHUNK_SIZE 4000\n"
            + "VAR_WIN 1\nENABLE_QCN 0\nENABLE_TRACE 0\n";

    /** The section {@code network.topology} with its defaults. */
    private static final FabricSettings UNREAD = new FabricSettings.Dims(
            List.of(Topology.SWITCH), List.of(8), List.of(50.0), List.of(500.0), FabricSettings.Gigabyte.DECIMAL);

    private final TestRun run;
    private final Path config;

    PacketRunTest() throws IOException {
        run = new TestRun();
        config = run.files.getPath("/net/config.txt");
        Files.createDirectories(config.getParent());
        Files.writeString(config, CONFIG);
        Files.writeString(
                config.resolveSibling("topo.txt"),
                "5 1 4\n4\n4 0 100Gbps 1us 0\n4 1 100Gbps 1us 0\n4 2 100Gbps 1us 0\n4 3 100Gbps 1us 0\n");
        run.network = new NetworkSettings(
                Optional.of(Backend.PACKET),
                UNREAD,
                new PacketSettings.File(config, Optional.empty(), Optional.empty(), true, true));
    }

    @Test
    void writesFlowsPortsAndReferenceFiles() throws IOException {
        run.compat = AstraCompat.NS3;
        run.traces(4, allReduce(1, 40_000));
        run.run();
        assertThat(run.context.headlines).containsKey("packet_pause_resume_frames");
        assertThat(Files.readString(run.out.resolve("summary.md"))).contains("| Frames |");
        // Four chunks. Each takes the time of the ring of 4 for 10,000 bytes.
        assertThat(Files.readString(run.out.resolve("native/fct.txt"))).startsWith("0b000001 0b000101 10000 100 2500 ");
        assertThat(Files.readAllLines(run.out.resolve(PacketTables.FLOWS.name())))
                .hasSize(1 + 4 * 4 * 6)
                .filteredOn(line -> !line.startsWith("source"))
                .allSatisfy(line -> assertThat(slowdown(line)).isGreaterThanOrEqualTo(1));
        assertThat(Files.readAllLines(run.out.resolve(PacketTables.PORTS.name())))
                .hasSize(1 + 8);
        assertThat(Files.readAllLines(run.out.resolve(PacketTables.BACKENDS.name())))
                .hasSize(4)
                .anyMatch(line -> line.startsWith("packet,"));
        assertThat(TopologyFiles.read(run.out.resolve("native/topology.txt")).hosts())
                .isEqualTo(4);
        assertThat(Files.readString(run.out.resolve("packet.html")))
                .contains("Slowdown of flows", "Hottest ports", "<svg", "The same work on other backends");
    }

    @Test
    void skipsAnalyticalComparisonWhenStoppedEarly() throws IOException {
        run.traces(4, allReduce(1, 40_000));
        run.stopAt = Optional.of(3000L);
        run.run();
        stoppedAt(3000, 0);
    }

    @Test
    void skipsAnalyticalComparisonWhenStoppedMidway() throws IOException {
        run.traces(4, allReduceOfOne());
        run.trace(3, TestRun.compute(1, 1000));
        run.stopAt = Optional.of(500_000L);
        run.run();
        stoppedAt(500_000, 3);
        assertThat(Files.readString(run.out.resolve("npu_metrics.csv")))
                .contains("\n0,1000,")
                .contains("\n3,,");
    }

    @Test
    void reportsProgressOfLongRun() throws IOException {
        run.traces(4, allReduce(1, 40_000_000));
        run.run();
        assertThat(run.context.progress)
                .anyMatch(line -> line.matches("NPUs done at [\\d,]{3,} µs simulated, 1 million events 0/4"));
    }

    @Test
    void reproducesRunFromWrittenFiles() throws IOException {
        for (AstraCompat compat : List.of(AstraCompat.NONE, AstraCompat.NS3)) {
            for (CongestionSpec congestion : List.of(
                    KeyRecord.defaults(PacketSettings.Keys.class).congestion(),
                    new CongestionSpec.None(),
                    new Hpcc.Spec(0.9, 1, 60, 100, true, false, false, 1),
                    new Timely.Spec(50, 100, 90),
                    new Dctcp.Spec(0.0625, 1000, 100),
                    new HpccPint.Spec(0.95, 0, 50, 100, 1.05, 1))) {
                TestRun keys = onKeys(compat, keys(congestion));
                TestRun files = onFiles(keys, compat);
                TestRun again = onKeys(compat, preset(files, keys));
                String figures = Files.readString(keys.out.resolve("npu_metrics.csv"));
                for (TestRun one : List.of(files, again, onFiles(again, compat), onKeys(compat, preset(keys, keys)))) {
                    assertThat(one.out.resolve("npu_metrics.csv")).hasContent(figures);
                }
            }
        }
    }

    @Test
    void writesNoReferenceFileForInexpressibleNetwork() throws IOException {
        TestRun sprays = onKeys(AstraCompat.NONE, keys(new CongestionSpec.None(), "0 4 1"));
        assertThat(sprays.out.resolve("reference/config.txt")).doesNotExist();
        assertThat(sprays.out.resolve("reference/topology.txt")).exists();
        assertThat(Files.readString(sprays.out.resolve("presets/network.conf"))).contains("routes = [\"0 4 1\"]");
    }

    /** Runs the stage with keys. */
    private static TestRun onKeys(AstraCompat compat, PacketSettings packet) throws IOException {
        TestRun one = new TestRun();
        one.compat = compat;
        one.network = new NetworkSettings(Optional.of(Backend.PACKET), UNREAD, packet);
        one.traces(4, allReduce(1, 40_000));
        one.run();
        return one;
    }

    private static TestRun onFiles(TestRun made, AstraCompat compat) throws IOException {
        Path folder = made.out.resolve("reference");
        return onKeys(
                compat,
                new PacketSettings.File(
                        folder.resolve("config.txt"),
                        Optional.empty(),
                        Optional.of(folder.resolve("logical.json")),
                        true,
                        true));
    }

    /** Returns the network of the preset that a run wrote, with its topology file in memory. */
    private static PacketSettings preset(TestRun made, TestRun reported) throws IOException {
        String text = Files.readString(made.out.resolve("presets/network.conf"));
        MapNode tree = ConfigFileReader.parse(text, "preset").body();
        PacketSettings.Keys keys =
                (PacketSettings.Keys) Binder.bind(tree, NetworkSettings.class).packet();
        return keys.topology() instanceof PacketTopologySettings.File file
                ? with(
                        keys,
                        new PacketTopologySettings.File(
                                reported.files.getPath(file.file().toString())),
                        keys.congestion(),
                        keys.routing().routes())
                : keys;
    }

    @Test
    void reportsRoutesOfSilentHosts() throws IOException {
        TestRun ring = onKeys(AstraCompat.NONE, keys(new CongestionSpec.None(), "0 4 1", "1 4 0"));
        assertThat(ring.context.warnings)
                .containsExactly("network.packet.routes: the path [1, 4, 0] had no effect, since host 1 sent nothing to"
                        + " host 0");
    }

    private static PacketSettings keys(CongestionSpec congestion, String... routes) {
        return with(
                KeyRecord.defaults(PacketSettings.Keys.class),
                new PacketTopologySettings.Star(4, 1, 100, 500),
                congestion,
                List.of(routes));
    }

    private static PacketSettings.Keys with(
            PacketSettings.Keys keys, PacketTopologySettings topology, CongestionSpec congestion, List<String> routes) {
        return KeyRecord.with(
                PacketSettings.Keys.class,
                keys,
                Map.of("topology", topology, "congestion", congestion, "routes", routes));
    }

    private void stoppedAt(long time, double done) throws IOException {
        assertThat(run.context.headlines).containsEntry("duration_cycles", (double) time);
        assertThat(run.context.headlines).containsEntry("finished_npus", done);
        assertThat(Files.readAllLines(run.out.resolve(PacketTables.BACKENDS.name())))
                .hasSize(2)
                .last()
                .asString()
                .startsWith("packet," + time);
        assertThat(run.context.warnings).anyMatch(text -> text.contains("has no analytical networks"));
        for (String page : List.of("packet.html", "summary.md")) {
            assertThat(Files.readString(run.out.resolve(page)))
                    .containsIgnoringCase("analytical networks, which would run to the end, are left out");
        }
    }

    /** Returns the duration of a flow divided by its ideal duration. */
    private static double slowdown(String row) {
        String[] cells = row.split(",", -1);
        return Double.parseDouble(cells[5]) / Double.parseDouble(cells[6]);
    }

    @Test
    void reportsWaitingFlowsOfDeadlock() throws IOException {
        Files.writeString(
                config, CONFIG.replace("INTERVAL 1\n", "INTERVAL 900000\n").replace("SIZE 4000", "SIZE 7"));
        run.compat = AstraCompat.NS3;
        run.trace(0, message(1, NodeType.COMM_SEND_NODE, 0, 1, 3000));
        run.trace(1, message(1, NodeType.COMM_RECV_NODE, 0, 1, 3000));
        run.trace(2, allReduceOfOne());
        run.trace(3, allReduceOfOne());
        StageException stuck = catchThrowableOfType(StageException.class, run::run);
        assertThat(stuck.problems().get(0).render())
                .contains("deadlock at")
                .contains("flow 0→1")
                .contains("3000 of 3000 bytes arrived, 0 acknowledged")
                .contains("sent only from 900000 bytes on");
    }

    @Test
    void reportsReceiveReplacedByLaterOneInReferenceMode() throws IOException {
        run.compat = AstraCompat.NS3;
        for (int rank = 0; rank < 2; rank++) {
            NodeType type = rank == 0 ? NodeType.COMM_SEND_NODE : NodeType.COMM_RECV_NODE;
            run.trace(rank, message(1, type, 0, 1, 3000), message(2, type, 0, 1, 3000));
        }
        run.trace(2, allReduceOfOne());
        run.trace(3, allReduceOfOne());
        StageException stuck = catchThrowableOfType(StageException.class, run::run);
        assertThat(stuck.problems().get(0).render())
                .contains("receive 0→1")
                .contains("receive 0→1", "replaced by a later one");
        run.compat = AstraCompat.NONE;
        run.run();
        assertThat(run.out.resolve("packet.html")).exists();
    }

    private static dev.stagesim.model.trace.EtNode allReduceOfOne() {
        return TestRun.compute(1, 1);
    }

    @Test
    void rejectsMismatchedSizesBeforeRun() throws IOException {
        Path logical = run.files.getPath("/net/logical.json");
        Files.writeString(logical, "{\"logical-dims\": [\"4\", \"2\"]}");
        run.network = new NetworkSettings(
                Optional.of(Backend.PACKET),
                run.network.topology(),
                new PacketSettings.File(config, Optional.empty(), Optional.of(logical), true, false));
        run.traces(4, allReduce(1, 40_000));
        assertThat(catchThrowableOfType(StageException.class, run::run)
                        .problems()
                        .get(0)
                        .what())
                .isEqualTo("the logical dimensions make 8 NPUs, but the topology has 4 hosts");
    }

    @Test
    void rejectsSectionsOfOtherBackends() throws IOException {
        run.traces(4, allReduce(1, 40_000));
        NetworkSettings given = run.network;
        run.network = new NetworkSettings(
                Optional.of(Backend.PACKET),
                TestRun.dims(Backend.PACKET, Topology.RING, 4).topology(),
                given.packet());
        assertThat(refusal()).isEqualTo("network.topology");
        run.network = new NetworkSettings(Optional.of(Backend.CONGESTION_AWARE), given.topology(), given.packet());
        assertThat(refusal()).isEqualTo("network.packet.kind");
    }

    private String refusal() {
        return catchThrowableOfType(StageException.class, run::run)
                .problems()
                .get(0)
                .where();
    }

    @Test
    void usesConfiguredOutputNames() throws IOException {
        Files.writeString(config, CONFIG + "FCT_OUTPUT_FILE out/flows.txt\n");
        run.traces(4, allReduce(1, 40_000));
        run.run();
        assertThat(run.out.resolve("native/flows.txt")).exists();
        assertThat(run.out.resolve("native/fct.txt")).doesNotExist();
    }

    @Test
    void rejectsCompatOfOtherBackends() throws IOException {
        run.compat = AstraCompat.ASTRA;
        run.traces(4, allReduce(1, 40_000));
        assertThat(catchThrowableOfType(StageException.class, run::run)
                        .problems()
                        .get(0)
                        .where())
                .isEqualTo("compat");
    }
}
