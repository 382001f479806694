package dev.stagesim.stage.astrasim;

import static java.util.Map.entry;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.io.astra.RankFiles;
import dev.stagesim.io.chakra.EtWriter;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.network.FabricSettings;
import dev.stagesim.network.FabricSettings.Gigabyte;
import dev.stagesim.network.MemorySettings;
import dev.stagesim.network.NetworkSettings;
import dev.stagesim.network.NetworkSettings.Backend;
import dev.stagesim.network.PacketSettings;
import dev.stagesim.network.SystemSettings;
import dev.stagesim.network.SystemSettings.Bus;
import dev.stagesim.network.SystemSettings.Custom;
import dev.stagesim.network.SystemSettings.Keys;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.sim.trace.feed.FeederVersion;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.astrasim.AstraSimSettings.GroupSettings;
import dev.stagesim.stage.astrasim.AstraSimSettings.SimulationKeys;
import dev.stagesim.stage.astrasim.AstraSimSettings.TraceSettings;
import dev.stagesim.traces.ChakraTextWorkload;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Settings, traces and a context for tests of the stage, on a file system in memory. */
final class TestRun {
    final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    final Path out = files.getPath("/out");
    final Path prefix = files.getPath("/traces/t");
    final FakeContext context = new FakeContext(out, files.getPath("/home"));

    SystemSettings system = keys("ring");
    NetworkSettings network = dims(Backend.CONGESTION_UNAWARE, Topology.RING, 4);
    MemorySettings memory = new MemorySettings.None();
    Optional<Long> stopAt = Optional.empty();
    Optional<Path> groups = Optional.empty();
    boolean symmetry = true;
    AstraCompat compat = AstraCompat.NONE;
    FeederVersion feeder = FeederVersion.V3;

    TestRun() throws IOException {
        Files.createDirectories(out);
        Files.createDirectories(prefix.getParent());
    }

    static Keys keys(String... algorithms) {
        return KeyRecord.of(
                Keys.class,
                Map.ofEntries(
                        entry("localMemBw", 50),
                        entry("allReduceImplementation", List.of(algorithms)),
                        entry("allGatherImplementation", List.of(algorithms)),
                        entry("reduceScatterImplementation", List.of(algorithms)),
                        entry("allToAllImplementation", List.of(algorithms)),
                        entry(
                                "custom",
                                new Custom(
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty())),
                        entry("bus", new Bus.None())));
    }

    static NetworkSettings dims(Backend backend, Topology block, int npus) {
        return network(
                backend,
                new FabricSettings.Dims(List.of(block), List.of(npus), List.of(50.0), List.of(500.0), Gigabyte.BINARY));
    }

    AstraSimSettings settings() {
        return new AstraSimSettings(
                KeyRecord.of(ChakraTextWorkload.class, Map.of("prefix", "t")),
                new TraceSettings(Optional.of(prefix), Optional.empty(), feeder),
                system,
                network,
                memory,
                new GroupSettings(groups),
                new SimulationKeys(1, 1, false, symmetry, stopAt, 256, 1000, true, true),
                compat);
    }

    void run() throws IOException {
        new AstraSimStage().run(settings(), context);
    }

    void trace(int rank, EtNode... nodes) throws IOException {
        try (EtWriter writer = EtWriter.create(RankFiles.file(prefix, rank), EtMetadata.EMPTY)) {
            for (EtNode node : nodes) {
                writer.write(node);
            }
        }
    }

    void traces(int npus, EtNode... nodes) throws IOException {
        for (int rank = 0; rank < npus; rank++) {
            trace(rank, nodes);
        }
    }

    static EtNode compute(long id, long micros, long... parents) {
        EtNode node = EtNode.of(id, "comp " + id, NodeType.COMP_NODE, EtAttribute.ofBool(EtNames.IS_CPU_OP, false));
        return KeyRecord.with(
                EtNode.class,
                node,
                Map.of("dataDeps", parents, "startTimeMicros", 0, "durationMicros", micros, "unknown", new byte[0]));
    }

    static EtNode allReduce(long id, long bytes, long... parents) {
        return collective(id, 0, "all-reduce " + id, bytes, parents);
    }

    static EtNode allToAll(long id, long bytes) {
        return collective(id, 6, "all-to-all " + id, bytes);
    }

    static EtNode collective(long id, int type, String name, long bytes, long... parents) {
        return EtNode.of(
                        id,
                        name,
                        NodeType.COMM_COLL_NODE,
                        EtAttribute.ofBool(EtNames.IS_CPU_OP, false),
                        EtAttribute.ofLong(EtNames.COMM_TYPE, type),
                        EtAttribute.ofLong(EtNames.COMM_SIZE, bytes))
                .withDataDeps(parents);
    }

    static EtNode message(long id, NodeType type, int source, int destination, long bytes) {
        return EtNode.of(
                id,
                "message " + id,
                type,
                EtAttribute.ofBool(EtNames.IS_CPU_OP, false),
                EtAttribute.ofInt(EtNames.COMM_SRC, source),
                EtAttribute.ofInt(EtNames.COMM_DST, destination),
                EtAttribute.ofLong(EtNames.COMM_SIZE, bytes),
                EtAttribute.ofInt(EtNames.COMM_TAG, 7));
    }

    /** Returns a network without the packet backend. */
    static NetworkSettings network(NetworkSettings.Backend backend, FabricSettings topology) {
        return new NetworkSettings(
                Optional.of(backend), topology, Binder.bind(MapNode.empty(), PacketSettings.Keys.class));
    }
}
