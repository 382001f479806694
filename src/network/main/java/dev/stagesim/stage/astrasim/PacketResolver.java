package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.Reading;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.packet.ConfigFiles;
import dev.stagesim.io.packet.LogicalFiles;
import dev.stagesim.io.packet.OutputNames;
import dev.stagesim.io.packet.PacketConfig;
import dev.stagesim.io.packet.TopologyFiles;
import dev.stagesim.io.packet.TraceNodes;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.network.PacketSettings;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.packet.PacketCheck;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.stage.ShippedFiles;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Resolves the section {@code network.packet} to a plan. */
final class PacketResolver {
    private static final int MAX_NPUS = 1 << 24;

    private static final String SECTION = "network.packet";

    private final Path home;
    private final PacketSpec.Compat compat;

    private PacketResolver(AstraCompat compat, Path home) {
        this(compat == AstraCompat.NS3 ? PacketSpec.Compat.NS3 : PacketSpec.Compat.NONE, home);
    }

    private PacketResolver(PacketSpec.Compat compat, Path home) {
        this.home = home;
        this.compat = compat;
    }

    /**
     * Resolves the section and reads its files.
     *
     * @throws StageException (input) with all problems
     */
    static Reading<NetworkPlan> resolve(PacketSettings settings, AstraCompat compat, Path home) throws IOException {
        if (compat != AstraCompat.NONE && compat != AstraCompat.NS3) {
            throw StageException.input(
                    Problem.config("compat", "the packet backend reproduces ASTRA-sim's ns-3 network")
                            .options(List.of("none", "ns3")));
        }
        PacketResolver resolver = new PacketResolver(compat, home);
        Reading<NetworkPlan.Packet> plan = settings instanceof PacketSettings.File file
                ? resolver.file(file)
                : new Reading<>(resolver.keys((PacketSettings.Keys) settings), List.of());
        NetworkPlan.Packet value = plan.value();
        List<Problem> problems = new ArrayList<>();
        if (settings instanceof PacketSettings.Keys keys) {
            problems.addAll(idle(keys, resolver.compat));
        }
        problems.addAll(PacketCheck.problems(value.spec(), value.npus(), SECTION));
        if (value.nativeFiles().isEmpty() && !value.spec().traced().isEmpty()) {
            problems.add(Problem.config(
                    SECTION + ".native_files",
                    "is false, but trace nodes are set: their frames are only written to mix.tr, a native file"));
        }
        StageException.refuse(problems);
        return new Reading<>(value, plan.warnings());
    }

    /** Finds keys that were set but have no effect with the values of other keys. */
    static List<Problem> idle(PacketSettings.Keys keys, PacketSpec.Compat compat) {
        List<Problem> problems = new ArrayList<>();
        idle("transport", keys.transport(), keys.transport().idle(keys.congestion(), compat), problems);
        idle("switches", keys.switches(), keys.switches().idle(), problems);
        idle("link_down", keys.linkDown(), keys.linkDown().idle(), problems);
        return problems;
    }

    private static void idle(String section, Record given, Map<String, String> idle, List<Problem> problems) {
        for (RecordComponent component : KeyRecord.components(given.getClass())) {
            String why = idle.get(component.getName());
            if (why != null && !KeyRecord.value(component, given).equals(KeyRecord.defaultValue(component))) {
                String key = SECTION + "." + section + "." + KeyNames.snake(component.getName());
                problems.add(Problem.config(key, "has no effect " + why));
            }
        }
    }

    private NetworkPlan.Packet keys(PacketSettings.Keys keys) throws IOException {
        PacketTopology topology = new PacketTopologyPlan(home).make(keys.topology());
        PacketSpec spec = new PacketKeys(keys, compat).on(topology);
        long npus = keys.logicalDims().stream()
                .mapToLong(Integer::longValue)
                .reduce(1, (a, b) -> Math.min(a * b, Integer.MAX_VALUE));
        if (npus > topology.nodes() && npus > MAX_NPUS) {
            throw StageException.input(
                    Problem.config("network.packet.logical_dims", "more than " + MAX_NPUS + " NPUs in all"));
        }
        return new NetworkPlan.Packet(
                spec,
                keys.logicalDims().isEmpty() ? List.of(topology.hosts()) : keys.logicalDims(),
                PacketTopologyPlan.words(keys.topology(), topology),
                keys.nativeFiles() ? Optional.of(OutputNames.DEFAULT) : Optional.empty(),
                keys.fastPath());
    }

    private Reading<NetworkPlan.Packet> file(PacketSettings.File file) throws IOException {
        Path path = ShippedFiles.file(file.config(), home);
        PacketConfig config = ConfigFiles.read(path, compat);
        PacketTopology topology = TopologyFiles.read(topologyFile(file, path, config));
        Optional<Path> traces = config.traceFile().map(path::resolveSibling);
        List<Integer> traced = traces.isPresent() ? TraceNodes.read(traces.get()) : List.of();
        List<Integer> dims = file.logical().isPresent()
                ? LogicalFiles.read(ShippedFiles.file(file.logical().get(), home))
                : List.of(topology.hosts());
        NetworkPlan.Packet plan = new NetworkPlan.Packet(
                config.on(topology, traced),
                dims,
                path.getFileName() + " with " + PacketTopologyPlan.count(topology),
                file.nativeFiles() ? Optional.of(config.outputs()) : Optional.empty(),
                file.fastPath());
        return new Reading<>(plan, config.warnings());
    }

    /** Location of the topology file of a network given by files. */
    static Path topologyFile(PacketSettings.File file, PacketSpec.Compat compat, Path home) throws IOException {
        PacketResolver resolver = new PacketResolver(compat, home);
        Path config = ShippedFiles.file(file.config(), home);
        return resolver.topologyFile(file, config, ConfigFiles.read(config, compat));
    }

    private Path topologyFile(PacketSettings.File file, Path config, PacketConfig read) {
        return file.topology().isPresent()
                ? ShippedFiles.file(file.topology().get(), home)
                : InputFile.beside(config, read.topologyFile(), config + ", TOPOLOGY_FILE");
    }

    /** Files that the section names, directly or in its configuration file. */
    static List<Path> files(PacketSettings settings, AstraCompat compat, Path home) throws IOException {
        List<Path> files = new ArrayList<>();
        PacketResolver resolver = new PacketResolver(compat, home);
        if (settings instanceof PacketSettings.File file) {
            Path path = ShippedFiles.file(file.config(), home);
            PacketConfig config = ConfigFiles.read(path, resolver.compat);
            files.add(path);
            files.add(resolver.topologyFile(file, path, config));
            config.traceFile().ifPresent(name -> files.add(InputFile.beside(path, name, path + ", TRACE_FILE")));
            file.logical().ifPresent(logical -> files.add(ShippedFiles.file(logical, home)));
        } else {
            new PacketTopologyPlan(home)
                    .file(((PacketSettings.Keys) settings).topology())
                    .ifPresent(files::add);
        }
        return files;
    }
}
