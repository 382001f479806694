package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.RankFiles;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.network.FabricSettings;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.MemorySpec;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.astrasim.AstraSimSettings.TimeUnit;
import dev.stagesim.traces.GroupFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Finds traces and groups, from the settings or from the workload's run. */
record Inputs(AstraSimSettings settings, StageContext context) {
    static final String WORKLOAD = "workload";
    private static final String GROUPS = "comm_groups.json";
    private static final Pattern FIRST = Pattern.compile("(.*)\\.0\\.(et|eg)");

    /** Prefix of the traces. */
    Path prefix() throws IOException {
        Optional<Path> given = settings.trace().prefix();
        return given.isPresent() ? TracePrefix.locate(given.get(), context.home()) : prefix(context.input(WORKLOAD));
    }

    private static Path prefix(RunInput run) throws IOException {
        TreeSet<Path> prefixes = new TreeSet<>();
        try (Stream<Path> files = Files.walk(run.dir())) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Matcher name = FIRST.matcher(String.valueOf(file.getFileName()));
                if (name.matches()) {
                    prefixes.add(file.resolveSibling(name.group(1)));
                }
            }
        }
        if (prefixes.isEmpty()) {
            throw StageException.input(
                    Problem.artifact(run.dir().toString(), "the workload has no execution traces (*.0.et)")
                            .hint("a workload of the kind chakra_generate, chakra_text or chakra_pytorch has"));
        }
        if (prefixes.size() > 1) {
            List<String> options =
                    prefixes.stream().map(path -> "trace.prefix=" + path).toList();
            throw StageException.input(Problem.artifact(
                            run.dir().toString(), "the workload has " + prefixes.size() + " sets of traces; name one")
                    .options(options));
        }
        return prefixes.first();
    }

    /** The groups file from the settings. */
    static Path groupsFile(Path given, Path home) {
        Path file = ShippedFiles.file(given, home);
        if (!Files.isRegularFile(file)) {
            throw StageException.input(Problem.config("groups.file", "there is no file " + given));
        }
        return file;
    }

    /**
     * The groups, from the file in the settings or from the workload.
     *
     * @param traces traces of the NPUs
     * @throws StageException (input) if the file is invalid, or no collective names any of its groups
     */
    CommGroups groups(List<RankTrace> traces) throws IOException {
        int npus = traces.size();
        Optional<Path> given = settings.groups().file();
        if (given.isPresent()) {
            CommGroups groups = GroupFiles.read(groupsFile(given.get(), context.home()), npus);
            refuseUnused(groups, traces);
            return groups;
        }
        if (settings.trace().prefix().isEmpty()) {
            RunInput run = context.input(WORKLOAD);
            if (run.has(GROUPS)) {
                return GroupFiles.read(run.file(GROUPS), npus);
            }
        }
        return CommGroups.NONE;
    }

    private void refuseUnused(CommGroups groups, List<RankTrace> traces) {
        Set<String> ids = groups.groups().keySet().stream().map(String::valueOf).collect(Collectors.toSet());
        if (hasNode(
                traces,
                (trace, node) -> trace.type(node) == RankTrace.Type.COLLECTIVE && ids.contains(trace.group(node)))) {
            return;
        }
        String what = "the file has no effect: no collective of the traces names one of its groups (pg_name)";
        if (settings.compat() != AstraCompat.NONE) {
            context.warn("groups.file: " + what + ", as in the reference");
            return;
        }
        throw StageException.input(Problem.config("groups.file", what)
                .hint("leave groups.file out, or give the traces' collectives the number of a group as pg_name"));
    }

    /** Rejects memory that no node of the traces accesses. */
    void refuseUnused(MemorySpec memory, List<RankTrace> traces) {
        if (memory.kind() == MemorySpec.Kind.NONE
                || hasNode(traces, (trace, node) -> trace.type(node) == RankTrace.Type.MEMORY)) {
            return;
        }
        String what = "it has no effect: no node of the traces loads from memory or stores to it";
        if (settings.compat() != AstraCompat.NONE) {
            context.warn("memory: " + what + ", as in the reference");
            return;
        }
        throw StageException.input(Problem.config("memory", what).hint("memory=none"));
    }

    /** A condition on a node of a trace. */
    private interface NodeCondition {
        boolean holds(RankTrace trace, int node);
    }

    private static boolean hasNode(List<RankTrace> traces, NodeCondition condition) {
        Set<RankTrace> different = Collections.newSetFromMap(new IdentityHashMap<>());
        different.addAll(traces);
        return different.stream()
                .anyMatch(trace -> IntStream.range(0, trace.size()).anyMatch(node -> condition.holds(trace, node)));
    }

    /** Nanoseconds per unit of a duration. */
    long nsPerDuration() throws IOException {
        Optional<TimeUnit> unit = settings.trace().timeUnit();
        if (unit.isPresent()) {
            return unit.get().ns();
        }
        boolean isPlainText = settings.trace().prefix().isEmpty() && holdsCycles(context.input(WORKLOAD));
        return isPlainText ? TimeUnit.NS.ns() : SimulationSpec.nsPerDuration(settings.compat());
    }

    /** True if the durations are the numbers of a workload text, which counts cycles of 1 GHz. */
    private static boolean holdsCycles(RunInput run) throws IOException {
        Optional<LocatedJson> workload =
                Json.read(run.file("run_meta.json")).get("params").find("workload");
        return workload.filter(keys -> keys.find("kind")
                                .filter(kind -> kind.asString().equals("chakra_text"))
                                .isPresent()
                        && keys.find("input")
                                .filter(input -> input.asString().equals("text"))
                                .isPresent()
                        && keys.find("npu_frequency").isEmpty())
                .isPresent();
    }

    /** Rejects traces beyond the network's NPUs; the reference ignores them. */
    void refuseMore(RankFiles files, int npus) {
        int count = files.count(npus);
        if (count <= npus) {
            return;
        }
        String what = "there are traces for " + Count.of(count, "NPU") + ", but the network has " + npus;
        if (settings.compat() != AstraCompat.NONE) {
            context.warn(what + "; the rest are passed over, as in the reference");
            return;
        }
        boolean isPacket = settings.network().isPacket();
        throw StageException.input(Problem.config(isPacket ? "network.packet" : "network.topology", what)
                .hint("give the network as many NPUs as the workload" + wider(count) + ", or compat="
                        + (isPacket ? "ns3" : "astra") + " to pass over the rest"));
    }

    /** Returns the key that widens the last dimension of the network to {@code count} NPUs; empty if none does. */
    private String wider(int count) {
        if (!(settings.network().topology() instanceof FabricSettings.Dims dims)) {
            return "";
        }
        List<Integer> sizes = new ArrayList<>(dims.npusCount());
        int last = sizes.size() - 1;
        int inner = sizes.subList(0, last).stream().reduce(1, (a, b) -> a * b);
        sizes.set(last, count / inner);
        return count % inner == 0
                ? ", with network.topology.npus_count='" + sizes.toString().replace(" ", "") + "'"
                : "";
    }
}
