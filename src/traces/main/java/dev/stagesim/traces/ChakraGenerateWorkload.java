package dev.stagesim.traces;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.trace.generate.MicroBatchOrder;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.workload.WorkloadSettings;
import java.nio.file.Path;
import java.util.Optional;

/** Synthetic execution traces. */
@Variant("chakra_generate | Synthetic execution traces: simple patterns, or a training step of a " + "transformer.")
public record ChakraGenerateWorkload(
        @Key("Directory of a finished run that supplies the traces; null to make them. | null") Optional<Path> dir,
        @Key("Trace to generate: transformer; reference for all patterns of the reference generator for the "
                        + "schema; or one pattern, such as ALL_REDUCE, one_comp_node, oneCommNodeAllReduce, "
                        + "moe_all_to_all, ring_pipeline, tree_pipeline or memory_layers. | ALL_REDUCE")
                String pattern,
        @Key("Processors; null for 8, or for the product of the parallelism of a transformer. More than "
                        + "1000000 require shared_files=true. | null | 1..16777216")
                Optional<Integer> numNpus,
        @Unwrapped PatternSizes sizes,
        @Key("Schema of the traces; null for v1_0_0, or for v0_0_4 if num_dims is set. | null")
                Optional<TextSchema> schema,
        @Key("Prefix of the file names; null for the name of the pattern. | null") @Access(Resource.OUTPUT_NAME)
                Optional<String> prefix,
        @Key("Whether processors with equal traces share one file. trace_ranks.csv lists the file of each "
                        + "processor. Other tools require a file per processor. | false")
                boolean sharedFiles,
        @Key("Transformer to train; chosen with model@workload.model=<option>. | null")
                @OnlyIf("pattern = transformer | it applies to pattern=transformer only")
                Optional<ModelCard> model,
        @Key("Training device; chosen with hardware@workload.hardware=<option>. | null")
                @OnlyIf("pattern = transformer | it applies to pattern=transformer only")
                Optional<HardwareCard> hardware,
        @Key("Parallelism of the transformer.") Parallelism parallelism,
        @Key("Training step of the transformer.") Training training)
        implements WorkloadSettings {
    /** Sizes of a pattern. */
    public record PatternSizes(
            @Key("Duration of a computation of a pattern; null for 5. | null | us | 0..1000000000000000")
                    Optional<Long> runtime,
            @Key("Size of a memory access of a pattern; null for 1024. | null | bytes | 0..1000000000000000")
                    Optional<Long> tensorSize,
            @Key("Size of a communication of a pattern; null for 65536. | null | bytes | 0..1000000000000000")
                    Optional<Long> commSize,
            @Key("Number of network dimensions that collectives of a pattern list as involved; null for no list, "
                            + "or for 2 with schema=v0_0_1. | null | 1..1000")
                    Optional<Integer> numDims,
            @Key("Layers of a pattern with layers; null for 3. | null | 1..10000") Optional<Integer> layers,
            @Key("Micro-batches of a pipeline or of a training step; null for 4. | null | 1..10000")
                    Optional<Integer> microBatches) {}

    /** The section {@code workload.parallelism}. */
    public record Parallelism(
            @Key("Tensor parallelism; null for 1. | null | 1..1000000")
                    @OnlyIf("workload.pattern = transformer | it applies to pattern=transformer only")
                    Optional<Integer> tp,
            @Key("Pipeline stages; null for 1. | null | 1..1000000")
                    @OnlyIf("workload.pattern = transformer | it applies to pattern=transformer only")
                    Optional<Integer> pp,
            @Key("Data parallelism; null for 1. | null | 1..1000000000")
                    @OnlyIf("workload.pattern = transformer | it applies to pattern=transformer only")
                    Optional<Integer> dp,
            @Key("Expert parallelism, within the data-parallel processors; null for 1. | null | 1..1000000")
                    @OnlyIf("workload.pattern = transformer | it applies to pattern=transformer only")
                    Optional<Integer> ep) {}

    /** The section {@code workload.training}. */
    public record Training(
            @Key("Sequences of a micro-batch; null for 1. | null | 1..1000000000")
                    @OnlyIf("workload.pattern = transformer | it applies to pattern=transformer only")
                    Optional<Integer> sequences,
            @Key("Length of a sequence; null for the minimum of 2048 and the context of the model. | null | "
                            + "tokens | 1..1000000000")
                    @OnlyIf("workload.pattern = transformer | it applies to pattern=transformer only")
                    Optional<Integer> sequence,
            @Key("Order of micro-batches in the pipeline; null for one_f_one_b. | null")
                    @OnlyIf("workload.pattern = transformer | it applies to pattern=transformer only")
                    Optional<MicroBatchOrder> schedule,
            @Key("Whether data-parallel processors shard the optimizer state, with reduce-scatter of gradients "
                            + "and all-gather of weights; null for false. | null")
                    @OnlyIf("workload.pattern = transformer | it applies to pattern=transformer only")
                    Optional<Boolean> shardedOptimizer,
            @Key("Share of the peak BF16 rate of the device that computations reach; null for 0.5. | null | "
                            + "0.000001..1")
                    @OnlyIf("workload.pattern = transformer | it applies to pattern=transformer only")
                    Optional<Double> efficiency) {}
}
