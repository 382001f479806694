package dev.stagesim.io.astra;

import dev.stagesim.network.SystemSettings.Bus;
import dev.stagesim.network.SystemSettings.Keys;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.spec.DimensionOrder;
import dev.stagesim.sim.collective.spec.Roofline;
import dev.stagesim.sim.collective.spec.SharedBus;
import dev.stagesim.sim.collective.spec.SystemSpec;
import dev.stagesim.sim.collective.trace.CustomCollective;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * System settings from configuration keys or from a system file of ASTRA-sim.
 *
 * @param isDelayScaled whether the endpoint delay is multiplied by the injection scale; false for the default delay of
 *     files, 10 ns
 */
public record SystemFile(Keys keys, boolean isDelayScaled) {
    private static final double GIGA = 1e9;
    private static final double TERA = 1e12;

    /**
     * Options of the reference's command line.
     *
     * @param queuesPerDimension queues that share a dimension's chunks
     * @param injectionScale factor of an explicit endpoint delay
     * @param isRendezvous whether receivers request every message
     */
    public record Options(int queuesPerDimension, double injectionScale, boolean isRendezvous) {}

    /** Names of the algorithms of each dimension, by collective. */
    public Map<CollectiveKind, List<String>> names() {
        Map<CollectiveKind, List<String>> names = new EnumMap<>(CollectiveKind.class);
        names.put(CollectiveKind.ALL_REDUCE, keys.algorithms().allReduceImplementation());
        names.put(CollectiveKind.ALL_GATHER, keys.algorithms().allGatherImplementation());
        names.put(CollectiveKind.REDUCE_SCATTER, keys.algorithms().reduceScatterImplementation());
        names.put(CollectiveKind.ALL_TO_ALL, keys.algorithms().allToAllImplementation());
        return names;
    }

    /** The algorithms with these names. */
    public Map<CollectiveKind, List<Algorithm>> implementations() {
        Map<CollectiveKind, List<Algorithm>> all = new EnumMap<>(CollectiveKind.class);
        names().forEach((kind, names) -> all.put(
                kind,
                names.stream().map(name -> Algorithm.parse(name).orElseThrow()).toList()));
        return all;
    }

    /** Prefixes of traces that define a collective. */
    Map<CollectiveKind, Path> custom() {
        Map<CollectiveKind, Path> custom = new EnumMap<>(CollectiveKind.class);
        keys.custom().allReduce().ifPresent(prefix -> custom.put(CollectiveKind.ALL_REDUCE, prefix));
        keys.custom().allGather().ifPresent(prefix -> custom.put(CollectiveKind.ALL_GATHER, prefix));
        keys.custom().reduceScatter().ifPresent(prefix -> custom.put(CollectiveKind.REDUCE_SCATTER, prefix));
        keys.custom().allToAll().ifPresent(prefix -> custom.put(CollectiveKind.ALL_TO_ALL, prefix));
        return custom;
    }

    /**
     * Converts to the form of the simulator, with the traces of custom collectives.
     *
     * @param bytesPerNs bandwidth of each dimension, if defined
     */
    public SystemSpec spec(
            Options options,
            Map<CollectiveKind, CustomCollective> customTraces,
            Map<Long, CustomCollective> customNodes,
            List<Double> bytesPerNs) {
        return new SystemSpec(
                new SystemSpec.Scheduling(
                        keys.scheduling().schedulingPolicy(),
                        keys.scheduling().preferredDatasetSplits(),
                        keys.scheduling().activeChunksPerDimension(),
                        options.queuesPerDimension(),
                        new DimensionOrder(keys.scheduling().interDimensionScheduling(), bytesPerNs),
                        keys.scheduling().intraDimensionScheduling()),
                isDelayScaled ? (int) (keys.endpointDelay() * options.injectionScale()) : keys.endpointDelay(),
                keys.compute().localMemBw() * GIGA,
                keys.compute().rooflineEnabled()
                        ? Optional.of(new Roofline(keys.compute().peakPerf() * TERA))
                        : Optional.empty(),
                keys.compute().replayOnly(),
                options.isRendezvous(),
                keys.bus() instanceof Bus.LogGp bus ? Optional.of(shared(bus)) : Optional.empty(),
                new SystemSpec.Procedures(
                        keys.scheduling().collectiveOptimization(), implementations(), customTraces, customNodes));
    }

    /** The reference stores the parameters as 32-bit floats and truncates the first three to whole numbers. */
    private static SharedBus shared(Bus.LogGp given) {
        return new SharedBus(
                (long) (float) given.latency(),
                (long) (float) given.overhead(),
                (long) (float) given.gap(),
                (float) given.gapPerByte(),
                given.localReductionDelay());
    }
}
