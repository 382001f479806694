package dev.stagesim.io.astra;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.collective.Algorithm;
import dev.stagesim.sim.collective.CollectiveKind;
import dev.stagesim.sim.collective.Compat;
import dev.stagesim.sim.collective.DimensionOrder;
import dev.stagesim.sim.collective.QueueOrder;
import dev.stagesim.sim.collective.SystemSpec.Optimization;
import dev.stagesim.sim.collective.SystemSpec.Policy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads and writes system files (JSON). */
public final class SystemFiles {
    private static final Map<String, Policy> POLICIES =
            ordered(List.of("LIFO", "FIFO", "EXPLICIT"), List.of(Policy.LIFO, Policy.FIFO, Policy.EXPLICIT));
    private static final Map<String, Optimization> OPTIMIZATIONS =
            ordered(List.of("baseline", "localBWAware"), List.of(Optimization.BASELINE, Optimization.LOCAL_BW_AWARE));
    private static final Map<String, DimensionOrder.Kind> DIMENSION_ORDERS = ordered(
            List.of("ascending", "roundRobin", "themis", "offlineGreedy", "onlineGreedy"),
            List.of(
                    DimensionOrder.Kind.ASCENDING,
                    DimensionOrder.Kind.ROUND_ROBIN,
                    DimensionOrder.Kind.LEAST_LOADED,
                    DimensionOrder.Kind.LEAST_LOADED,
                    DimensionOrder.Kind.LEAST_LOADED));
    private static final Map<String, QueueOrder> QUEUE_ORDERS = ordered(
            List.of("FIFO", "smallestFirst", "lessRemainingPhaseFirst", "RG"),
            List.of(
                    QueueOrder.FIFO,
                    QueueOrder.SMALLEST_FIRST,
                    QueueOrder.FEWEST_PHASES_FIRST,
                    QueueOrder.ALTERNATING));

    private SystemFiles() {}

    private static <T> Map<String, T> ordered(List<String> words, List<T> values) {
        Map<String, T> map = new LinkedHashMap<>();
        for (int i = 0; i < words.size(); i++) {
            map.put(words.get(i), values.get(i));
        }
        return map;
    }

    /** First part of the keys of a collective: {@code all-reduce}. */
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
     * @param compat with the reference's rules, or by ours, which refuse what would have no effect
     * @throws dev.stagesim.model.StageException (input) with all problems
     */
    public static Reading<SystemFile> read(Path file, Compat compat) throws IOException {
        Members members = new Members(Json.read(file), compat != Compat.NONE);
        boolean isBus = isBus(members);
        SystemFile system = new SystemFile(
                members.word("scheduling-policy", POLICIES, Policy.LIFO),
                members.word("collective-optimization", OPTIMIZATIONS, Optimization.BASELINE),
                splits(members),
                members.whole("active-chunks-per-dimension", 1, 1),
                members.has("endpoint-delay")
                        ? Optional.of(members.whole("endpoint-delay", SystemFile.DEFAULT_ENDPOINT_DELAY, 0))
                        : Optional.empty(),
                members.whole("local-reduction-delay", 1, 0),
                members.number("local-mem-bw", 0, 0),
                members.number("peak-perf", 0, 0),
                members.flag("roofline-enabled"),
                members.flag("replay-only"),
                isBus ? Optional.of(bus(members)) : Optional.empty(),
                implementations(members),
                custom(members),
                members.has("per-node-custom-implementation")
                        ? Optional.of(members.text("per-node-custom-implementation", ""))
                        : Optional.empty(),
                order(members, "inter-dimension-scheduling", DIMENSION_ORDERS, DimensionOrder.Kind.ASCENDING),
                order(members, "intra-dimension-scheduling", QUEUE_ORDERS, QueueOrder.FIFO));
        idle(members, isBus, "model-shared-bus", List.of("L", "o", "g", "G", "local-reduction-delay"));
        idle(members, system.isRoofline(), "roofline-enabled", List.of("peak-perf"));
        withoutEffect(members);
        if (!members.has("local-mem-bw")) {
            members.warn("local-mem-bw is missing, so that reductions take no time");
        }
        boolean isComplete = system.peakPerf() > 0 && system.localMemBw() > 0;
        if (system.isRoofline() && !isComplete && !members.isLenient()) {
            members.refuse("roofline-enabled", "needs peak-perf and local-mem-bw above 0");
        }
        return new Reading<>(system, members.finish());
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
                members.warn("model-shared-bus is " + value + ", which is off: only 1 is on");
            } else {
                members.refuse("model-shared-bus", "found " + value + ", expected 0 or 1");
            }
        }
        return value == 1;
    }

    private static SystemFile.Bus bus(Members members) {
        return new SystemFile.Bus(
                members.number("L", 0, 0),
                members.number("o", 0, 0),
                members.number("g", 0, 0),
                members.number("G", 0, 0));
    }

    /** Parameters of what is off are fine where the file itself turns it off, and otherwise without effect. */
    private static void idle(Members members, boolean isOn, String feature, List<String> parameters) {
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

    /** Keys of samples and documents that the reference reads nowhere, or that only make it write more. */
    private static void withoutEffect(Members members) {
        // Both speed up simulation and change no result; which NPUs are simulated is decided here without being asked.
        members.has("boost-mode");
        for (String key : List.of("trace-enabled", "track-local-mem")) {
            if (members.has(key) && members.flag(key)) {
                members.ignored(key, "has no effect: every run writes its timeline; leave the key out");
            }
        }
        members.ignored("local-mem-trace-filename", "has no effect: no such file is written; leave the key out");
    }

    /** An order that the reference has a name for and ignores. */
    private static <T> T order(Members members, String key, Map<String, T> words, T absent) {
        if (!members.isLenient()) {
            return members.word(key, words, absent);
        }
        if (members.has(key) && words.get(members.text(key, "")) != absent) {
            members.ignored(key, "");
        }
        return absent;
    }

    private static Map<CollectiveKind, List<Algorithm>> implementations(Members members) {
        Map<CollectiveKind, List<Algorithm>> all = new EnumMap<>(CollectiveKind.class);
        for (CollectiveKind kind : CollectiveKind.values()) {
            String key = stem(kind) + "-implementation";
            List<Algorithm> list = new ArrayList<>();
            for (String name : members.texts(key)) {
                Optional<Algorithm> algorithm = AlgorithmNames.parse(name);
                algorithm.ifPresentOrElse(
                        list::add,
                        () -> members.refuse(
                                key, "no algorithm is named '" + name + "'", AlgorithmNames.options(), name));
            }
            all.put(kind, list);
        }
        return all;
    }

    private static Map<CollectiveKind, String> custom(Members members) {
        Map<CollectiveKind, String> all = new EnumMap<>(CollectiveKind.class);
        for (CollectiveKind kind : CollectiveKind.values()) {
            String key = stem(kind) + "-implementation-custom";
            if (members.has(key)) {
                List<String> prefixes = members.texts(key);
                if (prefixes.size() == 1) {
                    all.put(kind, prefixes.get(0));
                } else {
                    members.refuse(key, "found " + prefixes.size() + " prefixes, expected a list of exactly one");
                }
            }
        }
        return all;
    }

    /** The file's text: every key that has an effect. */
    public static JsonValue.Obj json(SystemFile system) {
        JsonObjectBuilder out = JsonValue.object();
        out.put("scheduling-policy", system.policy().name());
        out.put(
                "collective-optimization",
                system.optimization() == Optimization.BASELINE ? "baseline" : "localBWAware");
        out.put("preferred-dataset-splits", system.splits());
        out.put("active-chunks-per-dimension", system.activeChunks());
        system.endpointDelay().ifPresent(delay -> out.put("endpoint-delay", delay));
        out.put("local-mem-bw", system.localMemBw());
        out.put("peak-perf", system.peakPerf());
        out.put("roofline-enabled", system.isRoofline() ? 1 : 0);
        out.put("replay-only", system.isReplayOnly() ? 1 : 0);
        system.bus().ifPresent(bus -> out.put("model-shared-bus", 1)
                .put("local-reduction-delay", system.localReductionDelay())
                .put("L", bus.latency())
                .put("o", bus.overhead())
                .put("g", bus.gap())
                .put("G", bus.gapPerByte()));
        system.implementations()
                .forEach((kind, list) -> out.put(
                        stem(kind) + "-implementation",
                        JsonValue.strings(list.stream().map(AlgorithmNames::of).toList())));
        system.custom()
                .forEach((kind, prefix) ->
                        out.put(stem(kind) + "-implementation-custom", JsonValue.strings(List.of(prefix))));
        system.perNodeCustom().ifPresent(file -> out.put("per-node-custom-implementation", file));
        if (system.dimensionOrder() != DimensionOrder.Kind.ASCENDING) {
            out.put("inter-dimension-scheduling", name(DIMENSION_ORDERS, system.dimensionOrder()));
        }
        if (system.queueOrder() != QueueOrder.FIFO) {
            out.put("intra-dimension-scheduling", name(QUEUE_ORDERS, system.queueOrder()));
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
