package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.trace.generate.PipelineSchedule;
import dev.stagesim.sim.trace.text.TextSchema;
import java.nio.file.Path;
import java.util.Optional;

/** Execution traces of a known shape, made from figures. */
@Variant("chakra_generate | Execution traces made from figures: simple patterns, or a training step of a"
        + " transformer.")
public record ChakraGenerateWorkload(
        @Key("Directory of a finished run whose traces to use instead of making them. | null") Optional<Path> dir,
        @Key("What to make: transformer; reference for all patterns of the reference's generator, by schema; or"
                        + " one pattern, such as ALL_REDUCE, one_comp_node, oneCommNodeAllReduce, moe_all_to_all,"
                        + " ring_pipeline, tree_pipeline or memory_layers. | ALL_REDUCE")
                String pattern,
        @Key("Processors; null for 8, or what the parallelism of a transformer takes; more than 1000000 only with"
                        + " shared_files=true. | null | 1..16777216")
                Optional<Integer> numNpus,
        @Key("Duration of a computation of a pattern; null for 5. | null | us | 0..1000000000000000")
                Optional<Long> runtime,
        @Key("Size of a memory access of a pattern; null for 1024. | null | bytes | 0..1000000000000000")
                Optional<Long> tensorSize,
        @Key("Size of a communication of a pattern; null for 65536. | null | bytes | 0..1000000000000000")
                Optional<Long> commSize,
        @Key("Network dimensions, which the collectives of a pattern then name as involved; null for none, and 2"
                        + " with schema=v0_0_1. | null | 1..1000")
                Optional<Integer> numDims,
        @Key("Layers of a pattern that has any; null for 3. | null | 1..10000") Optional<Integer> layers,
        @Key("Micro-batches of a pipeline or of a training step; null for 4. | null | 1..10000")
                Optional<Integer> microBatches,
        @Key("Schema of the traces; null for v1_0_0, and v0_0_4 where num_dims is given. | null")
                Optional<TextSchema> schema,
        @Key("Begin of the file names, before the processor and the ending; null for the name of the pattern. |"
                        + " null")
                @Access(Resource.OUTPUT_NAME)
                Optional<String> prefix,
        @Key("Whether processors with the same trace share a file, that of the first of them, and trace_ranks.csv"
                        + " says which file each runs; other tools want a file for each. | false")
                boolean sharedFiles,
        @Key("Transformer to train; chosen with model@workload.model=<option>. | null")
                @OnlyIf("pattern = transformer | it belongs to pattern=transformer")
                Optional<ModelCard> model,
        @Key("Device that it is trained on; chosen with hardware@workload.hardware=<option>. | null")
                @OnlyIf("pattern = transformer | it belongs to pattern=transformer")
                Optional<HardwareCard> hardware,
        @Key("How the transformer is spread.") Parallelism parallelism,
        @Key("What a training step of the transformer is.") Training training)
        implements WorkloadSettings {

    /** The section {@code workload.parallelism}. */
    public record Parallelism(
            @Key("Processors that share each layer's weights; null for 1. | null | 1..1000000")
                    @OnlyIf("workload.pattern = transformer | it belongs to pattern=transformer")
                    Optional<Integer> tp,
            @Key("Stages of the pipeline; null for 1. | null | 1..1000000")
                    @OnlyIf("workload.pattern = transformer | it belongs to pattern=transformer")
                    Optional<Integer> pp,
            @Key("Copies of the model; null for 1. | null | 1..1000000000")
                    @OnlyIf("workload.pattern = transformer | it belongs to pattern=transformer")
                    Optional<Integer> dp,
            @Key("Processors, out of the copies, that share the experts of a layer; null for 1. | null | 1..1000000")
                    @OnlyIf("workload.pattern = transformer | it belongs to pattern=transformer")
                    Optional<Integer> ep) {}

    /** The section {@code workload.training}. */
    public record Training(
            @Key("Sequences of a micro-batch; null for 1. | null | 1..1000000000")
                    @OnlyIf("workload.pattern = transformer | it belongs to pattern=transformer")
                    Optional<Integer> sequences,
            @Key(
                            "Length of a sequence; null for 2048, or less where the model takes less. | null | tokens | 1..1000000000")
                    @OnlyIf("workload.pattern = transformer | it belongs to pattern=transformer")
                    Optional<Integer> sequence,
            @Key("Order of micro-batches in the pipeline; null for one_f_one_b. | null")
                    @OnlyIf("workload.pattern = transformer | it belongs to pattern=transformer")
                    Optional<PipelineSchedule> schedule,
            @Key("Whether copies keep a share of the optimizer's state each: gradients are scattered and weights"
                            + " gathered; null for false. | null")
                    @OnlyIf("workload.pattern = transformer | it belongs to pattern=transformer")
                    Optional<Boolean> shardedOptimizer,
            @Key("Share of the device's peak rate in BF16 that computations reach; null for 0.5. | null | 0.000001..1")
                    @OnlyIf("workload.pattern = transformer | it belongs to pattern=transformer")
                    Optional<Double> efficiency) {}
}
