package dev.stagesim.settings;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.Optional;

/** Execution traces of a known shape, made from figures. */
@Variant(
        value = "chakra_generate",
        doc = "Execution traces made from figures: simple patterns, or a training step of a transformer.")
public record ChakraGenerateWorkload(
        @Key(doc = "Directory of a finished run whose traces to use instead of making them.", def = "null")
                Optional<Path> dir,
        @Key(
                        doc =
                                "What to make: transformer; reference for all patterns of the reference's generator, by schema;"
                                        + " or one pattern, such as ALL_REDUCE, one_comp_node, oneCommNodeAllReduce,"
                                        + " moe_all_to_all, ring_pipeline, tree_pipeline or memory_layers.",
                        def = "ALL_REDUCE")
                String pattern,
        @Key(
                        doc = "Processors; null for 8, or what the parallelism of a transformer takes.",
                        def = "null",
                        min = "1",
                        max = "1000000")
                Optional<Integer> numNpus,
        @Key(doc = "Duration of a computation of a pattern; null for 5.", unit = "us", def = "null", min = "0")
                Optional<Long> runtime,
        @Key(doc = "Size of a memory access of a pattern; null for 1024.", unit = "bytes", def = "null", min = "0")
                Optional<Long> tensorSize,
        @Key(doc = "Size of a communication of a pattern; null for 65536.", unit = "bytes", def = "null", min = "0")
                Optional<Long> commSize,
        @Key(
                        doc = "Network dimensions, which the collectives of a pattern then name as involved; null for"
                                + " none, and 2 with schema=v0_0_1.",
                        def = "null",
                        min = "1")
                Optional<Integer> numDims,
        @Key(doc = "Layers of a pattern that has any; null for 3.", def = "null", min = "1") Optional<Integer> layers,
        @Key(doc = "Micro-batches of a pipeline or of a training step; null for 4.", def = "null", min = "1")
                Optional<Integer> microBatches,
        @Key(doc = "Schema of the traces; null for v1_0_0, and v0_0_4 where num_dims is given.", def = "null")
                Optional<TraceSchema> schema,
        @Key(
                        doc = "Begin of the file names, before the processor and the ending; null for the name of the"
                                + " pattern.",
                        def = "null")
                Optional<String> prefix,
        @Key(doc = "Transformer to train; chosen with model@workload.model=<option>.", def = "null")
                Optional<ModelCard> model,
        @Key(doc = "Device that it is trained on; chosen with hardware@workload.hardware=<option>.", def = "null")
                Optional<HardwareCard> hardware,
        @Key(doc = "How the transformer is spread.") Parallelism parallelism,
        @Key(doc = "What a training step of the transformer is.") Training training)
        implements WorkloadSettings {

    /** The section {@code workload.parallelism}. */
    public record Parallelism(
            @Key(doc = "Processors that share each layer's weights; null for 1.", def = "null", min = "1")
                    Optional<Integer> tp,
            @Key(doc = "Stages of the pipeline; null for 1.", def = "null", min = "1") Optional<Integer> pp,
            @Key(doc = "Copies of the model; null for 1.", def = "null", min = "1") Optional<Integer> dp,
            @Key(
                            doc = "Processors, out of the copies, that share the experts of a layer; null for 1.",
                            def = "null",
                            min = "1")
                    Optional<Integer> ep) {}

    /** The section {@code workload.training}. */
    public record Training(
            @Key(doc = "Sequences of a micro-batch; null for 1.", def = "null", min = "1") Optional<Integer> sequences,
            @Key(
                            doc = "Length of a sequence; null for 2048, or less where the model takes less.",
                            unit = "tokens",
                            def = "null",
                            min = "1")
                    Optional<Integer> sequence,
            @Key(doc = "Order of micro-batches in the pipeline; null for one_f_one_b.", def = "null")
                    Optional<Schedule> schedule,
            @Key(
                            doc =
                                    "Whether copies keep a share of the optimizer's state each: gradients are scattered and"
                                            + " weights gathered; null for false.",
                            def = "null")
                    Optional<Boolean> shardedOptimizer,
            @Key(
                            doc = "Share of the device's peak rate in BF16 that computations reach; null for 0.5.",
                            def = "null",
                            min = "0",
                            above = true,
                            max = "1")
                    Optional<Double> efficiency) {}

    /** Orders of micro-batches in a pipeline. */
    public enum Schedule {
        /** All forward, then all backward. */
        GPIPE,
        /** Backward as soon as possible. */
        ONE_F_ONE_B
    }
}
