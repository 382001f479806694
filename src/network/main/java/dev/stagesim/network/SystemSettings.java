package dev.stagesim.network;

import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.spec.ChunkOrder;
import dev.stagesim.sim.collective.spec.DimensionOrder;
import dev.stagesim.sim.collective.spec.SystemSpec.Optimization;
import dev.stagesim.sim.collective.spec.SystemSpec.Policy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Collectives and computations of NPUs: the section {@code system}. */
public sealed interface SystemSettings permits SystemSettings.Keys, SystemSettings.File {
    @Variant("keys | Defined by configuration keys.")
    record Keys(
            @Unwrapped CollectiveScheduling scheduling,
            @Key("Delay of an NPU between network and collective algorithm. | 10 | ns | 0..1000000000")
                    int endpointDelay,
            @Unwrapped ComputeRates compute,
            @Unwrapped CollectiveAlgorithms algorithms,
            @Key("Collectives that traces define.") Custom custom,
            @Key("The bus between NPU and network interface. | { kind = none }") Bus bus)
            implements SystemSettings {
        /** Scheduling of collectives and their chunks. */
        public record CollectiveScheduling(
                @Key("Scheduling order of waiting collectives. | lifo") Policy schedulingPolicy,
                @Key("Decomposition of an all-reduce over several dimensions. | local_bw_aware")
                        Optimization collectiveOptimization,
                @Key("Order of dimensions for the chunks of a collective; the reference uses ascending. | ascending")
                        DimensionOrder.Kind interDimensionScheduling,
                @Key("Scheduling order of waiting chunks within a dimension; the reference uses fifo. | fifo")
                        ChunkOrder intraDimensionScheduling,
                @Key("Number of chunks of a collective. | 4 | 1..1000000000") int preferredDatasetSplits,
                @Key("Maximum chunks in flight per dimension. | 1 | 1..1000000000") int activeChunksPerDimension) {}

        /** Memory and compute of an NPU. */
        public record ComputeRates(
                @Key("Memory bandwidth of an NPU, for reductions and memory-bound operators; if 0, reductions take "
                                + "no time. | 0 | GB/s | 0..1000000000")
                        double localMemBw,
                @Key("Peak rate of an NPU, for the roofline. | 0 | TFLOP/s | 0..1000000000") double peakPerf,
                @Key("Whether operators take roofline times instead of recorded times. | false")
                        boolean rooflineEnabled,
                @Key("Whether all nodes, including communication, take recorded times. | false") boolean replayOnly) {}

        /** Algorithms of collectives in each dimension. */
        public record CollectiveAlgorithms(
                @Key("Algorithm of all-reduce in each dimension: " + Algorithm.NAMES + ". | [ring]")
                        List<String> allReduceImplementation,
                @Key("Algorithm of all-gather in each dimension. | [ring]") List<String> allGatherImplementation,
                @Key("Algorithm of reduce-scatter in each dimension. | [ring]")
                        List<String> reduceScatterImplementation,
                @Key("Algorithm of all-to-all in each dimension. | [ring]") List<String> allToAllImplementation) {}
    }

    @Variant("file | Defined by a system file of ASTRA-sim (JSON).")
    record File(@Key("The file.") Path file) implements SystemSettings {}

    /** Collectives that traces define; the rank is appended to each prefix. */
    record Custom(
            @Key("Prefix of the traces for all all-reduces. | null") Optional<Path> allReduce,
            @Key("Prefix of the traces for all all-gathers. | null") Optional<Path> allGather,
            @Key("Prefix of the traces for all reduce-scatters. | null") Optional<Path> reduceScatter,
            @Key("Prefix of the traces for all all-to-alls. | null") Optional<Path> allToAll,
            @Key("YAML map from node ids to prefixes, for single nodes. | null") Optional<Path> perNode) {}

    /** The bus between an NPU and its network interface. */
    sealed interface Bus permits Bus.None, Bus.LogGp {
        @Variant("none | Every transfer takes the endpoint delay.")
        record None() implements Bus {}

        @Variant("loggp | Transfers contend, by the LogGP model.")
        record LogGp(
                @Key("Latency L. | 0 | ns | 0..1000000000000000000") long latency,
                @Key("Overhead o. | 0 | ns | 0..1000000000000000000") long overhead,
                @Key("Gap g between messages. | 0 | ns | 0..1000000000000000000") long gap,
                @Key("Gap G per byte. | 0 | ns/byte | 0..1000000000") double gapPerByte,
                @Key("Time to reduce 100 bytes. | 1 | ns | 0..1000000000") int localReductionDelay)
                implements Bus {}
    }
}
