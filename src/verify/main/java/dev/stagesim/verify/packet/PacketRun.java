package dev.stagesim.verify.packet;

import dev.stagesim.io.astra.CustomFiles;
import dev.stagesim.io.astra.MemoryFiles;
import dev.stagesim.io.astra.SystemFile;
import dev.stagesim.io.astra.SystemFiles;
import dev.stagesim.io.astra.TraceFiles;
import dev.stagesim.io.chakra.FeederFiles;
import dev.stagesim.io.chakra.NodeMemo;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.packet.ConfigFiles;
import dev.stagesim.io.packet.LogicalFiles;
import dev.stagesim.io.packet.PacketConfig;
import dev.stagesim.io.packet.PacketLogs;
import dev.stagesim.io.packet.TopologyFiles;
import dev.stagesim.io.packet.TraceNodes;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.sim.collective.CollectiveSimulation;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.RankTraceBuilder;
import dev.stagesim.sim.network.packet.PacketNetwork;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.trace.feed.FeederVersion;
import dev.stagesim.traces.GroupFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs the configuration of a folder of reference input files, and keeps the output that the reference would write. */
final class PacketRun {
    private static final List<String> OPTIONS =
            List.of("num-queues-per-dim", "injection-scale", "rendezvous-protocol", "comm-scale");

    final ByteArrayOutputStream flows = new ByteArrayOutputStream();
    final ByteArrayOutputStream pauses = new ByteArrayOutputStream();
    final ByteArrayOutputStream queues = new ByteArrayOutputStream();
    final ByteArrayOutputStream frames = new ByteArrayOutputStream();
    private final PacketLogs logs = new PacketLogs(flows, pauses, queues, frames);
    private final PacketNetwork network;
    private final SimulationResult result;

    /**
     * Runs a folder with the behaviour of the reference.
     *
     * @param recorded its {@code case.json}
     * @throws StageException if the input is rejected
     */
    PacketRun(Path home, LocatedJson recorded) throws IOException {
        this(home, recorded, PacketSpec.Compat.NS3, true);
    }

    /**
     * Runs a folder.
     *
     * @param compat reference whose network behaviour is used
     * @param trains true if uncontended flows take the fast path
     */
    PacketRun(Path home, LocatedJson recorded, PacketSpec.Compat compat, boolean trains) throws IOException {
        SystemFile.Options options = options(recorded.get("args"));
        List<Integer> dims = LogicalFiles.read(home.resolve("logical.json"));
        int npus = dims.stream().reduce(1, Math::multiplyExact);
        PacketConfig config = ConfigFiles.read(home.resolve("config.txt"), compat);
        PacketTopology topology = TopologyFiles.read(home.resolve(config.topologyFile()));
        List<Integer> traced = config.traceFile().isPresent()
                ? TraceNodes.read(home.resolve(config.traceFile().get()))
                : List.of();
        SystemFile system =
                SystemFiles.read(home.resolve("system.json"), AstraCompat.ASTRA).value();
        // The folder "files", if present, replaces the working directory, except for the configuration.
        Path files = Files.isDirectory(home.resolve("files")) ? home.resolve("files") : home;
        TraceFiles customTraces = new TraceFiles(AstraCompat.ASTRA, FeederVersion.V3, true);
        Path groups = home.resolve("comm_groups.json");
        CommGroups commGroups = Files.exists(groups) ? GroupFiles.read(groups, npus) : CommGroups.NONE;
        SimulationSpec spec = new SimulationSpec(
                system.spec(
                        options,
                        CustomFiles.collectives(system, customTraces, files),
                        CustomFiles.nodes(system, customTraces, files),
                        List.of()),
                dims,
                MemoryFiles.spec(MemoryFiles.read(home.resolve("memory.json"), AstraCompat.ASTRA)
                        .value()),
                commGroups,
                AstraCompat.ASTRA,
                false);
        PacketListener listener = logs;
        network = new PacketNetwork(config.on(topology, traced), npus, listener);
        if (!trains) {
            network.followEveryFrame();
        }
        if (!traced.isEmpty()) {
            logs.frames().head(topology, network.largestProduct());
        }
        result = CollectiveSimulation.run(spec, traces(home, recorded), network, SimulationObserver.NONE);
    }

    private static SystemFile.Options options(LocatedJson given) {
        for (String name : given.members().keySet()) {
            if (!OPTIONS.contains(name)) {
                throw StageException.input(Problem.of("config error", name, "unknown option")
                        .options(OPTIONS)
                        .didYouMean(Suggest.near(name, OPTIONS)));
            }
        }
        return new SystemFile.Options(
                (int) number(given, "num-queues-per-dim"),
                number(given, "injection-scale"),
                given.has("rendezvous-protocol"));
    }

    private static double number(LocatedJson given, String name) {
        return given.has(name) ? Double.parseDouble(given.get(name).asString()) : 1;
    }

    private static List<RankTrace> traces(Path home, LocatedJson recorded) throws IOException {
        Map<String, RankTrace> read = new LinkedHashMap<>();
        List<RankTrace> traces = new ArrayList<>();
        FeederFiles.Sequence<RankTraceBuilder.Row> feeder =
                new FeederFiles.Sequence<>(new NodeMemo<>(RankTraceBuilder::row));
        for (LocatedJson run : recorded.get("trace_runs").items()) {
            List<LocatedJson> fields = run.items();
            if (fields.get(2).isNull()) {
                throw StageException.input(
                        Problem.of("trace error", "NPU " + fields.get(0).asInt(), "the trace does not exist"));
            }
            String name = fields.get(2).asString();
            if (!read.containsKey(name)) {
                RankTraceBuilder builder = new RankTraceBuilder(name);
                feeder.forEach(home.resolve("traces").resolve(name), builder::add);
                read.put(name, builder.build());
            }
            for (int rank = fields.get(0).asInt(); rank <= fields.get(1).asInt(); rank++) {
                traces.add(read.get(name));
            }
        }
        return traces;
    }

    PacketNetwork network() {
        return network;
    }

    SimulationResult result() {
        return result;
    }
}
