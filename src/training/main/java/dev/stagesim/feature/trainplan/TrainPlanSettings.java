package dev.stagesim.feature.trainplan;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.TrainingJob;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Configuration of the stage {@code train_plan}. */
@FormerKeys(removed = {"compat=" + TrainPlanSettings.OTHER_TOOLS, "peer=" + TrainPlanSettings.OTHER_TOOLS})
record TrainPlanSettings(
        @Key("The model to train.") ModelCard model,
        @Key("The devices to train it on.") HardwareCard hardware,
        @Key("Number of devices and their links. | {}") ClusterSettings cluster,
        @Key("The batch of a step. | {}") BatchSettings batch,
        @Key("Tokens per sequence. | 4096 | tokens | 1..1000000000") int sequence,
        @Key("Precision of matrix products. | bf16") TrainingPrecision precision,
        @Key("Training software. | {}") SoftwareSettings software,
        @Key("CSV of measured steps of this model, device and precision, to fit the efficiency of the device."
                        + " Columns: tp, pp, zero, micro_batch and step_s; optionally"
                        + " devices, vp, cp, ep, shard, recompute, schedule, sequence and global_batch. | null")
                Optional<Path> measured,
        @Key("Quantity to minimise. | step_time") Objective objective,
        @Key("The search space. | {}") SearchSettings search,
        @Key("The whole training run, including failures. | {}") RunSettings run,
        @Key("Whether to write the pipeline of the winner, with at most 400,000 operations, to best/traces/ and the"
                        + " collectives of a stage to best/stage_traces/ as execution traces. | false")
                boolean traces) {
    static final String OTHER_TOOLS = "estimates of calculon, llm-analysis, Megatron-LM and DeepSpeed are no longer"
            + " reproduced; run those tools, or plan with model, hardware, cluster and search";

    /** Quantity that a plan minimises. */
    enum Objective {
        /** Step time. */
        STEP_TIME,
        /** Cost of a step: devices times time times price. */
        COST,
        /** Energy of a step: devices times power times time. */
        ENERGY,
        /** Step time including the time lost to failures and checkpoints, so that tokens per day are maximal. */
        TOKENS_PER_DAY
    }

    /** Precisions of matrix products in training. */
    enum TrainingPrecision {
        /** 16 bits for weights and gradients. */
        BF16,
        /** 8-bit products with one delayed scale per tensor, and 16-bit weights. */
        FP8,
        /** 8-bit products with one current scale per tensor, which requires an additional pass before the cast. */
        FP8_TENSORWISE,
        /** 8-bit products with one scale per row and column. */
        FP8_ROWWISE,
        /** 8-bit products with one scale per block of 32. */
        MXFP8,
        /** 4-bit products. */
        NVFP4
    }

    /** The section {@code cluster}. */
    record ClusterSettings(
            @Key("Devices. | 64 | devices | 1..131072") int devices,
            @Key("Devices per scale-up domain; null for the value of the card. | null | devices | 1..1000000")
                    Optional<Integer> domain,
            @Key(
                            "Network bandwidth per device and direction; null for the value of the card. | null | Gbit/s | 0.000001..1000000")
                    Optional<Double> networkGbps,
            @Key("Device memory reserved for the allocator, collective buffers and the device context;"
                            + " null for 6 % and 1 GiB. | null | GB | 0..10000000")
                    Optional<Double> reserveGb,
            @Key("Price of a device; null for the typical price of the card. | null | USD/h | 0..1000000")
                    Optional<Double> priceUsdHr) {}

    /** The section {@code batch}. */
    record BatchSettings(@Key("Sequences per step. | 512 | sequences | 1..65536") int global) {}

    /** The section {@code software}. */
    @FormerKeys({
        "most_nodes=max_expert_nodes",
        "send_once_a_node=dispatch_once_per_node",
        "low_dispatch=fp8_dispatch",
        "low_weights=fp8_weights",
        "low_activations=fp8_activations"
    })
    record SoftwareSettings(
            @Key("Host time to launch the forward pass of a layer; eight times that for a mixture of experts."
                            + " 0.93 for eager layers of 2022, 0.22 for fused ones, 0.1 if compiled, 0 with captured"
                            + " graphs. | 0.22 | ms | 0..1000000000")
                    double hostMs,
            @Key("Whether attention is fused, so that scores are not stored. | true") boolean fusedAttention,
            @Unwrapped Overlaps overlaps,
            @Unwrapped TokenDispatch dispatch,
            @Key("Bytes of a gradient while it is accumulated. | 4 | bytes | 2..4") int gradientBytes,
            @Key("Bytes of each of the two optimizer moments: 4, or 2 for 16-bit moments. | 4 | bytes | 2..4")
                    int momentBytes,
            @Key("Whether weights are stored and gathered only in 8 bits, as with --fp8-param-gather of Megatron-LM,"
                            + " without a 16-bit copy. | false")
                    boolean fp8Weights,
            @Key("Whether inputs of activation functions are stored in 8 bits. | false") boolean fp8Activations,
            @Key("Memory of a logit at the loss: 6 if the loss is fused or compiled, 14 for PyTorch's"
                            + " cross_entropy on 32-bit logits. | 6 | bytes | 2..16")
                    int logitBytes,
            @Key("Optimizer sharding: buckets as in Megatron-LM; deepspeed, which copies gradients and stores"
                            + " sent activations; or tensors as in InternEvo, where the owner of each tensor broadcasts"
                            + " it. | buckets")
                    TrainingJob.Sharding sharding) {
        /** Transfers that overlap with compute. */
        record Overlaps(
                @Key("Whether tensor-parallel collectives overlap with products. | true") boolean overlapTensor,
                @Key("Whether transfers of gradients and weights overlap with compute. | true") boolean overlapData,
                @Key("Whether expert all-to-all overlaps with another micro-batch. | false") boolean overlapExpert) {}

        /** Dispatch of tokens to experts. */
        record TokenDispatch(
                @Key("Whether a token is sent only once to a node with several of its experts. | true")
                        boolean dispatchOncePerNode,
                @Key("Maximum number of nodes with experts of a token; null if routing does not limit it. | null |"
                                + " nodes | 1..1000000")
                        Optional<Integer> maxExpertNodes,
                @Key("Whether tokens are dispatched to experts in 8 bits; results have 16 bits. | false")
                        boolean fp8Dispatch) {}
    }

    /** The section {@code search}; an empty list selects all values that the rules allow. */
    record SearchSettings(
            @Key("Device counts to compare; empty for cluster.devices. | [] | 1..131072") List<Integer> devices,
            @Unwrapped ParallelDegrees degrees,
            @Key("ZeRO stages; with a pipeline, stages 2 and 3 must be listed explicitly. | [] | 0..3")
                    List<Integer> zero,
            @Key("Replicas per ZeRO shard group; groups have copies of the states. Empty for one group, and for ZeRO 3"
                            + " also groups within a scale-up domain. | [] | 1..1000000")
                    List<Integer> shard,
            @Key("Sequences per micro-batch. | [] | 1..65536") List<Integer> microBatch,
            @Key("Recomputation policies. | []") List<Recompute> recompute,
            @Key("Pipeline schedules; empty for 1f1b and interleaved. | []") List<PipelineSchedule> schedule,
            @Key("Number of best strategies to keep. | 10 | 1..1000") int top,
            @Key("Whether to include strategies that no supported framework runs. | false") boolean hypothetical) {
        /** Degrees of parallelism. */
        record ParallelDegrees(
                @Key("Tensor-parallel degrees. | [] | 1..1000000") List<Integer> tp,
                @Key("Pipeline-parallel degrees. | [] | 1..1000000") List<Integer> pp,
                @Key("Virtual stages of a rank, for the interleaved schedule. | [] | 2..1000000") List<Integer> vp,
                @Key("Context-parallel degrees. | [] | 1..1000000") List<Integer> cp,
                @Key("Expert-parallel degrees. | [] | 1..1000000") List<Integer> ep) {}
    }

    /** The section {@code run}. */
    record RunSettings(
            @Key("Tokens of the whole training run; null if unknown. | null | tokens | 1..1000000000000000000")
                    Optional<Long> tokens,
            @Key("Mean time between failures of one device; 0 for no failures. The default is the order of the"
                            + " failure rate in arXiv 2407.21783 for 16,384 H100 (419 unexpected interruptions in 54 days). |"
                            + " 50000 | h | 0..1000000000")
                    double deviceMtbfH,
            @Key("Time to write a checkpoint, during which training waits. | 30 | s | 0..1000000000")
                    double checkpointS,
            @Key("Time from a failure until training resumes from the last checkpoint. | 600 | s | 0..1000000000")
                    double restartS,
            @Key("Standard deviation of the step times of devices. Every step waits for the slowest"
                            + " device. | 0 | % | 0..50")
                    double spreadPercent) {}
}
