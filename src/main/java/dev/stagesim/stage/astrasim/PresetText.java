package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.AlgorithmNames;
import dev.stagesim.io.astra.MemoryFile;
import dev.stagesim.io.astra.SystemFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.sim.collective.Algorithm;
import dev.stagesim.sim.collective.CollectiveKind;
import dev.stagesim.sim.collective.DimensionOrder;
import dev.stagesim.sim.collective.MemorySpec;
import dev.stagesim.sim.network.Dimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Presets of the groups {@code system}, {@code network} and {@code memory} that say what files of the reference say. */
final class PresetText {
    private final StringBuilder out = new StringBuilder();

    private PresetText() {}

    static String system(SystemFile system) {
        PresetText text = new PresetText();
        text.put("kind", "keys");
        text.put("scheduling_policy", word(system.policy()));
        text.put("collective_optimization", word(system.optimization()));
        text.put(
                "inter_dimension_scheduling",
                system.dimensionOrder() == DimensionOrder.Kind.LEAST_LOADED ? "themis" : word(system.dimensionOrder()));
        text.put("intra_dimension_scheduling", word(system.queueOrder()));
        text.put("preferred_dataset_splits", Integer.toString(system.splits()));
        text.put("active_chunks_per_dimension", Integer.toString(system.activeChunks()));
        text.put("endpoint_delay", Integer.toString(system.endpointDelay().orElse(SystemFile.DEFAULT_ENDPOINT_DELAY)));
        text.put("local_mem_bw", number(system.localMemBw()));
        text.put("peak_perf", number(system.peakPerf()));
        text.put("roofline_enabled", Boolean.toString(system.isRoofline()));
        text.put("replay_only", Boolean.toString(system.isReplayOnly()));
        for (CollectiveKind kind : CollectiveKind.values()) {
            List<Algorithm> list = system.implementations().getOrDefault(kind, List.of());
            text.put(word(kind) + "_implementation", list(list, AlgorithmNames::of));
        }
        system.custom().forEach((kind, prefix) -> text.put("custom." + word(kind), Json.quoted(prefix)));
        system.perNodeCustom().ifPresent(file -> text.put("custom.per_node", Json.quoted(file)));
        system.bus()
                .ifPresentOrElse(
                        bus -> text.bus(bus, system.localReductionDelay()), () -> text.put("bus", "{ kind = none }"));
        return text.out.toString();
    }

    private void bus(SystemFile.Bus bus, int localReductionDelay) {
        put(
                "bus",
                "{ kind = loggp, latency = " + (long) bus.latency() + ", overhead = " + (long) bus.overhead()
                        + ", gap = " + (long) bus.gap() + ", gap_per_byte = " + number(bus.gapPerByte())
                        + ", local_reduction_delay = " + localReductionDelay + " }");
    }

    static String network(NetworkSpec spec) {
        PresetText text = new PresetText();
        boolean isAware = spec.contention() == Contention.AWARE;
        text.put("backend", isAware ? "congestion_aware" : "congestion_unaware");
        List<Dimension> dimensions = spec.dimensions();
        text.out.append("topology {\n");
        text.put("  kind", "dims");
        text.put("  blocks", list(dimensions, dimension -> word(dimension.topology())));
        text.put("  npus_count", list(dimensions, dimension -> Integer.toString(dimension.npus())));
        text.put("  bandwidth", list(dimensions, dimension -> number(dimension.bandwidth())));
        text.put("  latency", list(dimensions, dimension -> number(dimension.latency())));
        text.put("  gigabyte", "binary");
        return text.out.append("}\n").toString();
    }

    static String memory(MemoryFile memory) {
        PresetText text = new PresetText();
        MemorySpec spec = memory.spec();
        text.put("kind", word(spec.kind()));
        if (spec.kind() != MemorySpec.Kind.NONE) {
            text.put("latency", Long.toString(spec.latency()));
            text.put("bandwidth", Long.toString(spec.bandwidth()));
        }
        if (spec.kind() == MemorySpec.Kind.PER_NODE) {
            text.put("num_nodes", Integer.toString(memory.nodes()));
            text.put("num_npus_per_node", Integer.toString(spec.npusPerNode()));
        }
        return text.out.toString();
    }

    private void put(String key, String value) {
        out.append(key).append(" = ").append(value).append('\n');
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String number(double value) {
        return ShortestDouble.of(value);
    }

    private static <T> String list(List<T> items, Function<T, String> text) {
        return items.stream().map(text).collect(Collectors.joining(", ", "[", "]"));
    }
}
