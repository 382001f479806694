package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** How NPUs run collectives and computations: the section {@code system}. */
public sealed interface SystemSettings permits SystemSettings.Keys, SystemSettings.File {
    /** Said in keys. */
    @Variant(value = "keys", doc = "Said in keys.")
    record Keys(
            @Key(doc = "Which collective's chunks go first where several wait.", def = "lifo") Policy schedulingPolicy,
            @Key(doc = "How an all-reduce over several dimensions is laid out.", def = "local_bw_aware")
                    Optimization collectiveOptimization,
            @Key(
                            doc = "In which order the chunks of a collective go through the dimensions; the reference"
                                    + " has ascending.",
                            def = "ascending")
                    InterDimension interDimensionScheduling,
            @Key(doc = "Which waiting chunk goes first in a dimension; the reference has fifo.", def = "fifo")
                    IntraDimension intraDimensionScheduling,
            @Key(doc = "Chunks that a collective is split into.", def = "4", min = "1") int preferredDatasetSplits,
            @Key(doc = "Chunks in flight in each dimension.", def = "1", min = "1") int activeChunksPerDimension,
            @Key(doc = "Delay at an NPU between network and collective algorithm.", unit = "ns", def = "10", min = "0")
                    int endpointDelay,
            @Key(
                            doc = "Memory bandwidth of an NPU: prices reductions and memory-bound operators; 0 makes"
                                    + " reductions free.",
                            unit = "GB/s",
                            def = "0",
                            min = "0")
                    double localMemBw,
            @Key(doc = "Peak of an NPU, for the roofline.", unit = "TFLOP/s", def = "0", min = "0") double peakPerf,
            @Key(doc = "Whether operators take their roofline time instead of the recorded one.", def = "false")
                    boolean rooflineEnabled,
            @Key(doc = "Whether every node takes its recorded time, communication too.", def = "false")
                    boolean replayOnly,
            @Key(
                            doc = "Algorithm of all-reduce in each dimension: ring, direct, direct<window>,"
                                    + " halvingDoubling, doubleBinaryTree, and oneRing, oneDirect, oneHalvingDoubling"
                                    + " over all NPUs as one dimension.",
                            def = "[ring]")
                    List<String> allReduceImplementation,
            @Key(doc = "Algorithm of all-gather in each dimension.", def = "[ring]")
                    List<String> allGatherImplementation,
            @Key(doc = "Algorithm of reduce-scatter in each dimension.", def = "[ring]")
                    List<String> reduceScatterImplementation,
            @Key(doc = "Algorithm of all-to-all in each dimension.", def = "[ring]")
                    List<String> allToAllImplementation,
            @Key(doc = "Collectives that traces of their own describe.") Custom custom,
            @Key(doc = "The bus between NPU and network interface.", def = "{ kind = none }") Bus bus)
            implements SystemSettings {}

    /** Said in a file of the reference's format. */
    @Variant(value = "file", doc = "Said in a system file of ASTRA-sim (JSON).")
    record File(@Key(doc = "The file.") Path file) implements SystemSettings {}

    /** Orders of waiting collectives. */
    enum Policy {
        /** The latest first. */
        LIFO,
        /** The earliest first. */
        FIFO,
        /** By the trace's comm_priority. */
        EXPLICIT
    }

    /** Layouts of an all-reduce over several dimensions. */
    enum Optimization {
        /** An all-reduce in each dimension. */
        BASELINE,
        /** Reduce-scatter up the dimensions, all-reduce in the last, all-gather down. */
        LOCAL_BW_AWARE
    }

    /** Orders of dimensions. */
    enum InterDimension {
        /** Dimension 0 first. */
        ASCENDING,
        /** Each chunk starts one dimension further than the one before. */
        ROUND_ROBIN,
        /** The least loaded dimension first. */
        THEMIS
    }

    /** Orders of the chunks that wait in a dimension. */
    enum IntraDimension {
        /** By the collective's priority, then the earliest first. */
        FIFO,
        /** The fewest bytes first. */
        SMALLEST_FIRST,
        /** The fewest remaining phases first. */
        FEWEST_PHASES_FIRST,
        /** Reduce-scatters and all-gathers in turn. */
        ALTERNATING
    }

    /** Collectives replaced by traces; a trace's rank is appended to each prefix. */
    record Custom(
            @Key(doc = "Prefix of the traces of every all-reduce.", def = "null") Optional<Path> allReduce,
            @Key(doc = "Prefix of the traces of every all-gather.", def = "null") Optional<Path> allGather,
            @Key(doc = "Prefix of the traces of every reduce-scatter.", def = "null") Optional<Path> reduceScatter,
            @Key(doc = "Prefix of the traces of every all-to-all.", def = "null") Optional<Path> allToAll,
            @Key(doc = "YAML map from node ids to prefixes, for single nodes.", def = "null") Optional<Path> perNode) {}

    /** The bus between an NPU and its network interface. */
    sealed interface Bus permits Bus.None, Bus.LogGp {
        /** Every transfer takes the endpoint delay. */
        @Variant(value = "none", doc = "Every transfer takes the endpoint delay.")
        record None() implements Bus {}

        /** Transfers contend by the LogGP model. */
        @Variant(value = "loggp", doc = "Transfers contend, by the LogGP model.")
        record LogGp(
                @Key(doc = "Latency L.", unit = "ns", def = "0", min = "0") int latency,
                @Key(doc = "Overhead o.", unit = "ns", def = "0", min = "0") int overhead,
                @Key(doc = "Gap g between messages.", unit = "ns", def = "0", min = "0") int gap,
                @Key(doc = "Gap G of a byte.", unit = "ns/byte", def = "0", min = "0") double gapPerByte,
                @Key(doc = "Time that the reduction of 100 bytes takes.", unit = "ns", def = "1", min = "0")
                        int localReductionDelay)
                implements Bus {}
    }
}
