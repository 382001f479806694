package dev.stagesim.io.astra;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.network.SystemSettings;
import dev.stagesim.network.SystemSettings.Bus;
import dev.stagesim.network.SystemSettings.Keys;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.ChunkOrder;
import dev.stagesim.sim.collective.spec.DimensionOrder;
import dev.stagesim.sim.collective.spec.SystemSpec.Optimization;
import dev.stagesim.sim.collective.spec.SystemSpec.Policy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads and writes system files (JSON). */
public final class SystemFiles {
    /** Default delay of a packet at an endpoint in ns. */
    private static final int DEFAULT_ENDPOINT_DELAY = 10;

    private static final Map<String, Policy> POLICIES =
            ordered(List.of("LIFO", "FIFO", "EXPLICIT"), List.of(Policy.LIFO, Policy.FIFO, Policy.EXPLICIT));
    private static final Map<String, Optimization> OPTIMIZATIONS =
            ordered(List.of("baseline", "localBWAware"), List.of(Optimization.BASELINE, Optimization.LOCAL_BW_AWARE));
    private static final Map<String, DimensionOrder.Kind> DIMENSION_ORDERS = ordered(
            List.of("ascending", "roundRobin", "themis", "offlineGreedy", "onlineGreedy"),
            List.of(
                    DimensionOrder.Kind.ASCENDING,
                    DimensionOrder.Kind.ROUND_ROBIN,
                    DimensionOrder.Kind.THEMIS,
                    DimensionOrder.Kind.THEMIS,
                    DimensionOrder.Kind.THEMIS));
    private static final Map<String, ChunkOrder> QUEUE_ORDERS = ordered(
            List.of("FIFO", "smallestFirst", "lessRemainingPhaseFirst", "RG"),
            List.of(
                    ChunkOrder.FIFO,
                    ChunkOrder.SMALLEST_FIRST,
                    ChunkOrder.FEWEST_PHASES_FIRST,
                    ChunkOrder.ALTERNATING));

    private SystemFiles() {}

    private static <T> Map<String, T> ordered(List<String> words, List<T> values) {
        Map<String, T> map = new LinkedHashMap<>();
        for (int i = 0; i < words.size(); i++) {
            map.put(words.get(i), values.get(i));
        }
        return map;
    }

    /** Prefix of the keys of a collective: {@code all-reduce}. */
    static String stem(CollectiveKind kind) {
        return switch (kind) {
            case ALL_REDUCE -> "all-reduce";
            case ALL_GATHER -> "all-gather";
            case REDUCE_SCATTER -> "reduce-scatter";
            case ALL_TO_ALL -> "all-to-all";
        };
    }

    /**
     * Reads a file.
     *
     * @param compat whether to follow the reference's rules, or strict rules that reject values without effect
     */
    public static Reading<SystemFile> read(Path file, AstraCompat compat) throws IOException {
        Members members = new Members(Json.read(file), compat != AstraCompat.NONE);
        boolean isBus = isBus(members);
        Map<CollectiveKind, List<String>> names = names(members);
        Map<CollectiveKind, Optional<Path>> custom = custom(members);
        Keys system = new Keys(
                scheduling(members),
                members.whole("endpoint-delay", DEFAULT_ENDPOINT_DELAY, 0),
                new Keys.ComputeRates(
                        members.number("local-mem-bw", 0, 0),
                        members.number("peak-perf", 0, 0),
                        members.flag("roofline-enabled"),
                        members.flag("replay-only")),
                new Keys.CollectiveAlgorithms(
                        names.getOrDefault(CollectiveKind.ALL_REDUCE, List.of()),
                        names.getOrDefault(CollectiveKind.ALL_GATHER, List.of()),
                        names.getOrDefault(CollectiveKind.REDUCE_SCATTER, List.of()),
                        names.getOrDefault(CollectiveKind.ALL_TO_ALL, List.of())),
                new SystemSettings.Custom(
                        custom.getOrDefault(CollectiveKind.ALL_REDUCE, Optional.empty()),
                        custom.getOrDefault(CollectiveKind.ALL_GATHER, Optional.empty()),
                        custom.getOrDefault(CollectiveKind.REDUCE_SCATTER, Optional.empty()),
                        custom.getOrDefault(CollectiveKind.ALL_TO_ALL, Optional.empty()),
                        members.has("per-node-custom-implementation")
                                ? Optional.of(members.path(
                                        "per-node-custom-implementation",
                                        members.text("per-node-custom-implementation", "")))
                                : Optional.empty()),
                bus(members, isBus));
        ignoreWithout(members, isBus, "model-shared-bus", List.of("L", "o", "g", "G", "local-reduction-delay"));
        ignoreWithout(members, system.compute().rooflineEnabled(), "roofline-enabled", List.of("peak-perf"));
        withoutEffect(members);
        if (!members.has("local-mem-bw")) {
            members.warn("local-mem-bw is missing, so that reductions take no time");
        }
        boolean isComplete = system.compute().peakPerf() > 0 && system.compute().localMemBw() > 0;
        if (system.compute().rooflineEnabled() && !isComplete && !members.isLenient()) {
            members.refuse("roofline-enabled", "needs peak-perf and local-mem-bw above 0");
        }
        return new Reading<>(new SystemFile(system, members.has("endpoint-delay")), members.finish());
    }

    private static Keys.CollectiveScheduling scheduling(Members members) {
        return new Keys.CollectiveScheduling(
                members.word("scheduling-policy", POLICIES, Policy.LIFO),
                members.word("collective-optimization", OPTIMIZATIONS, Optimization.BASELINE),
                order(members, "inter-dimension-scheduling", DIMENSION_ORDERS, DimensionOrder.Kind.ASCENDING),
                order(members, "intra-dimension-scheduling", QUEUE_ORDERS, ChunkOrder.FIFO),
                splits(members),
                members.whole("active-chunks-per-dimension", 1, 1));
    }

    private static int splits(Members members) {
        if (!members.has("preferred-dataset-splits")) {
            members.refuse(
                    "preferred-dataset-splits",
                    "preferred-dataset-splits is missing, expected the number of chunks of a collective");
            return 1;
        }
        return members.whole("preferred-dataset-splits", 1, 1);
    }

    private static boolean isBus(Members members) {
        int value = members.whole("model-shared-bus", 0, Integer.MIN_VALUE);
        if (value != 0 && value != 1) {
            if (members.isLenient()) {
                members.warn("model-shared-bus is " + value + ", which means off: only 1 enables the bus");
            } else {
                members.refuse("model-shared-bus", "found " + value + ", expected 0 or 1");
            }
        }
        return value == 1;
    }

    private static Bus bus(Members members, boolean isOn) {
        int reduction = members.whole("local-reduction-delay", 1, 0);
        return isOn
                ? new Bus.LogGp(
                        (long) members.number("L", 0, 0),
                        (long) members.number("o", 0, 0),
                        (long) members.number("g", 0, 0),
                        members.number("G", 0, 0),
                        reduction)
                : new Bus.None();
    }

    /** Parameters of a disabled feature are accepted if the file disables the feature, and otherwise have no effect. */
    private static void ignoreWithout(Members members, boolean isOn, String feature, List<String> parameters) {
        for (String key : parameters) {
            if (!members.has(key)) {
                continue;
            }
            members.number(key, 0, Double.NEGATIVE_INFINITY);
            if (!isOn && !members.has(feature)) {
                members.ignored(key, "has no effect without " + feature);
            }
        }
    }

    /**
     * Keys that appear in samples and documents but that the reference never reads, or that only increase its output.
     */
    private static void withoutEffect(Members members) {
        // Accelerates the reference without changing results. This simulator chooses the simulated NPUs
        // automatically.
        members.has("boost-mode");
        for (String key : List.of("trace-enabled", "track-local-mem")) {
            if (members.has(key) && members.flag(key)) {
                members.ignored(key, "has no effect: every run writes its timeline; leave the key out");
            }
        }
        members.ignored("local-mem-trace-filename", "has no effect: no such file is written; leave the key out");
    }

    /** Reads an order. The reference accepts all of its orders, but uses only the default. */
    private static <T> T order(Members members, String key, Map<String, T> words, T absent) {
        if (!members.isLenient()) {
            return members.word(key, words, absent);
        }
        if (members.has(key) && words.get(members.text(key, "")) != absent) {
            members.ignored(key, "");
        }
        return absent;
    }

    private static Map<CollectiveKind, List<String>> names(Members members) {
        Map<CollectiveKind, List<String>> all = new EnumMap<>(CollectiveKind.class);
        for (CollectiveKind kind : CollectiveKind.values()) {
            String key = stem(kind) + "-implementation";
            List<String> names = members.texts(key);
            all.put(
                    kind,
                    members.isLenient() ? names.stream().map(Algorithm::plain).toList() : names);
            for (String name : all.get(kind)) {
                if (Algorithm.parse(name).isEmpty()) {
                    members.refuse(key, "no algorithm is named '" + name + "'", Algorithm.options(), name);
                }
            }
        }
        return all;
    }

    private static Map<CollectiveKind, Optional<Path>> custom(Members members) {
        Map<CollectiveKind, Optional<Path>> all = new EnumMap<>(CollectiveKind.class);
        for (CollectiveKind kind : CollectiveKind.values()) {
            String key = stem(kind) + "-implementation-custom";
            if (members.has(key)) {
                List<String> prefixes = members.texts(key);
                if (prefixes.size() == 1) {
                    all.put(kind, Optional.of(members.path(key, prefixes.get(0))));
                } else {
                    members.refuse(key, "found " + prefixes.size() + " prefixes, expected a list of exactly one");
                }
            }
        }
        return all;
    }

    /** Returns the JSON of a file, with every key that has an effect. */
    public static JsonValue.Obj json(SystemFile file) {
        Keys system = file.keys();
        JsonObjectBuilder out = JsonValue.object();
        out.put("scheduling-policy", system.scheduling().schedulingPolicy().name());
        out.put(
                "collective-optimization",
                name(OPTIMIZATIONS, system.scheduling().collectiveOptimization()));
        out.put("preferred-dataset-splits", system.scheduling().preferredDatasetSplits());
        out.put("active-chunks-per-dimension", system.scheduling().activeChunksPerDimension());
        if (file.isDelayScaled()) {
            out.put("endpoint-delay", system.endpointDelay());
        }
        out.put("local-mem-bw", system.compute().localMemBw());
        out.put("peak-perf", system.compute().peakPerf());
        out.put("roofline-enabled", system.compute().rooflineEnabled() ? 1 : 0);
        out.put("replay-only", system.compute().replayOnly() ? 1 : 0);
        if (system.bus() instanceof Bus.LogGp bus) {
            out.put("model-shared-bus", 1).put("local-reduction-delay", bus.localReductionDelay());
            out.put("L", bus.latency())
                    .put("o", bus.overhead())
                    .put("g", bus.gap())
                    .put("G", bus.gapPerByte());
        }
        file.names().forEach((kind, names) -> out.put(stem(kind) + "-implementation", JsonValue.strings(names)));
        file.custom()
                .forEach((kind, prefix) ->
                        out.put(stem(kind) + "-implementation-custom", JsonValue.strings(List.of(prefix.toString()))));
        system.custom().perNode().ifPresent(path -> out.put("per-node-custom-implementation", path.toString()));
        if (system.scheduling().interDimensionScheduling() != DimensionOrder.Kind.ASCENDING) {
            out.put(
                    "inter-dimension-scheduling",
                    name(DIMENSION_ORDERS, system.scheduling().interDimensionScheduling()));
        }
        if (system.scheduling().intraDimensionScheduling() != ChunkOrder.FIFO) {
            out.put(
                    "intra-dimension-scheduling",
                    name(QUEUE_ORDERS, system.scheduling().intraDimensionScheduling()));
        }
        return out.build();
    }

    private static <T> String name(Map<String, T> words, T value) {
        return words.entrySet().stream()
                .filter(entry -> entry.getValue().equals(value))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(value + " has no name in system files"));
    }
}
