package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.collective.Algorithm;
import dev.stagesim.sim.collective.DimensionOrder;
import dev.stagesim.sim.collective.QueueOrder;
import dev.stagesim.sim.collective.SystemSpec.Optimization;
import dev.stagesim.sim.collective.SystemSpec.Policy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** How NPUs run collectives and computations: the section {@code system}. */
public sealed interface SystemSettings permits SystemSettings.Keys, SystemSettings.File {
    @Variant("keys | Said in keys.")
    record Keys(
            @Key("Which collective's chunks go first where several wait. | lifo") Policy schedulingPolicy,
            @Key("How an all-reduce over several dimensions is laid out. | local_bw_aware")
                    Optimization collectiveOptimization,
            @Key("In which order the chunks of a collective go through the dimensions; the reference has ascending. |"
                            + " ascending")
                    DimensionOrder.Kind interDimensionScheduling,
            @Key("Which waiting chunk goes first in a dimension; the reference has fifo. | fifo")
                    QueueOrder intraDimensionScheduling,
            @Key("Chunks that a collective is split into. | 4 | 1..1000000000") int preferredDatasetSplits,
            @Key("Chunks in flight in each dimension. | 1 | 1..1000000000") int activeChunksPerDimension,
            @Key("Delay at an NPU between network and collective algorithm. | 10 | ns | 0..1000000000")
                    int endpointDelay,
            @Key("Memory bandwidth of an NPU: prices reductions and memory-bound operators; 0 makes reductions free."
                            + " | 0 | GB/s | 0..1000000000")
                    double localMemBw,
            @Key("Peak of an NPU, for the roofline. | 0 | TFLOP/s | 0..1000000000") double peakPerf,
            @Key("Whether operators take their roofline time instead of the recorded one. | false")
                    boolean rooflineEnabled,
            @Key("Whether every node takes its recorded time, communication too. | false") boolean replayOnly,
            @Key("Algorithm of all-reduce in each dimension: " + Algorithm.NAMES + ". | [ring]")
                    List<String> allReduceImplementation,
            @Key("Algorithm of all-gather in each dimension. | [ring]") List<String> allGatherImplementation,
            @Key("Algorithm of reduce-scatter in each dimension. | [ring]") List<String> reduceScatterImplementation,
            @Key("Algorithm of all-to-all in each dimension. | [ring]") List<String> allToAllImplementation,
            @Key("Collectives that traces of their own describe.") Custom custom,
            @Key("The bus between NPU and network interface. | { kind = none }") Bus bus)
            implements SystemSettings {}

    @Variant("file | Said in a system file of ASTRA-sim (JSON).")
    record File(@Key("The file.") Path file) implements SystemSettings {}

    /** Collectives replaced by traces; a trace's rank is appended to each prefix. */
    record Custom(
            @Key("Prefix of the traces of every all-reduce. | null") Optional<Path> allReduce,
            @Key("Prefix of the traces of every all-gather. | null") Optional<Path> allGather,
            @Key("Prefix of the traces of every reduce-scatter. | null") Optional<Path> reduceScatter,
            @Key("Prefix of the traces of every all-to-all. | null") Optional<Path> allToAll,
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
                @Key("Gap G of a byte. | 0 | ns/byte | 0..1000000000") double gapPerByte,
                @Key("Time that the reduction of 100 bytes takes. | 1 | ns | 0..1000000000") int localReductionDelay)
                implements Bus {}
    }
}
