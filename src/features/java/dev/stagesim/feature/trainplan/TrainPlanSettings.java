package dev.stagesim.feature.trainplan;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.card.HardwareCard;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.TrainingJob;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Configuration of the stage {@code train_plan}. */
@FormerKeys(removed = {"compat=" + TrainPlanSettings.OTHER_TOOLS, "peer=" + TrainPlanSettings.OTHER_TOOLS})
public record TrainPlanSettings(
        @Key("The model to train.") ModelCard model,
        @Key("The devices to train it on.") HardwareCard hardware,
        @Key("How many devices, and how they are connected. | {}") ClusterSettings cluster,
        @Key("What a step trains. | {}") BatchSettings batch,
        @Key("Tokens of a sequence. | 4096 | tokens | 1..1000000000") int sequence,
        @Key("Precision of the products. | bf16") TrainingPrecision precision,
        @Key("Software that runs the training. | {}") SoftwareSettings software,
        @Key("Your own measured steps of this model, device and precision, to which one factor on the device's"
                        + " efficiency is fitted: a CSV of tp, pp, zero, micro_batch and step_s, and if need be"
                        + " devices, vp, cp, ep, shard, recompute, schedule, sequence and global_batch. | null")
                Optional<Path> measured,
        @Key("What is made small. | step_time") Objective objective,
        @Key("What may vary. | {}") SearchSettings search,
        @Key("The whole training, with failures. | {}") RunSettings run,
        @Key("Write the winner's pipeline as execution traces into best/traces/, not more than 400,000"
                        + " operations, and the collectives of a stage into best/stage_traces/. | false")
                boolean traces) {
    static final String OTHER_TOOLS = "estimates of calculon, llm-analysis, Megatron-LM and DeepSpeed are no longer"
            + " reproduced; run those tools, or plan with model, hardware, cluster and search";

    /** What a plan makes small. */
    public enum Objective {
        /** The time of a step. */
        STEP_TIME,
        /** What a step costs: devices times time times price. */
        COST,
        /** What a step draws: devices times power times time. */
        ENERGY,
        /** The time of a step with what failures and checkpoints lose, so that tokens a day are most. */
        TOKENS_PER_DAY
    }

    /** Precisions of matrix products in training. */
    public enum TrainingPrecision {
        /** 16 bits, weights and gradients alike. */
        BF16,
        /** 8-bit products with one scale a tensor, known from the steps before, beside 16-bit weights. */
        FP8,
        /** The same with scales of the step itself, which take a pass over a tensor before it is cast. */
        FP8_TENSORWISE,
        /** 8-bit products with a scale for each row and column. */
        FP8_ROWWISE,
        /** 8-bit products with a scale for each block of 32. */
        MXFP8,
        /** 4-bit products. */
        NVFP4
    }

    /** The section {@code cluster}. */
    public record ClusterSettings(
            @Key("Devices. | 64 | devices | 1..131072") int devices,
            @Key("Devices that the fast link connects; null for the card's. | null | devices | 1..1000000")
                    Optional<Integer> domain,
            @Key("Network of each device and direction; null for the card's. | null | Gbit/s | 0.000001..1000000")
                    Optional<Double> networkGbps,
            @Key("Memory of a device that is left to the allocator, buffers of collectives and the device's context;"
                            + " null for 6 % and 1 GiB. | null | GB | 0..10000000")
                    Optional<Double> reserveGb,
            @Key("Price of a device; null for the card's typical one. | null | USD/h | 0..1000000")
                    Optional<Double> priceUsdHr) {}

    /** The section {@code batch}. */
    public record BatchSettings(@Key("Sequences of a step. | 512 | sequences | 1..65536") int global) {}

    /** The section {@code software}. */
    @FormerKeys({
        "most_nodes=max_expert_nodes",
        "send_once_a_node=dispatch_once_per_node",
        "low_dispatch=fp8_dispatch",
        "low_weights=fp8_weights",
        "low_activations=fp8_activations"
    })
    public record SoftwareSettings(
            @Key("Host time to launch the forward of a layer; eight times that for a mixture of experts."
                            + " 0.93 for eager layers of 2022, 0.22 for fused ones, 0.1 compiled, 0 with captured"
                            + " graphs. | 0.22 | ms | 0..1000000000")
                    double hostMs,
            @Key("Whether attention is fused, so that no scores are kept. | true") boolean fusedAttention,
            @Key("Whether tensor-parallel collectives overlap with products. | true") boolean overlapTensor,
            @Key("Whether gradients and weights move behind compute. | true") boolean overlapData,
            @Key("Whether the exchange of experts overlaps with another micro-batch. | false") boolean overlapExpert,
            @Key("Whether a token goes to a node once, however many of its experts are there. | true")
                    boolean dispatchOncePerNode,
            @Key("Nodes that the experts of a token are in at most; null where routing does not limit them. | null |"
                            + " nodes | 1..1000000")
                    Optional<Integer> maxExpertNodes,
            @Key("Whether tokens go to their experts in 8 bits; they return in 16. | false") boolean fp8Dispatch,
            @Key("Bytes of a gradient while it is accumulated. | 4 | bytes | 2..4") int gradientBytes,
            @Key("Bytes of each of the optimizer's two moments: 4, or 2 with moments in 16 bits. | 4 | bytes | 2..4")
                    int momentBytes,
            @Key("Whether weights are kept and gathered in 8 bits only, as --fp8-param-gather of Megatron-LM does,"
                            + " instead of beside 16 bits. | false")
                    boolean fp8Weights,
            @Key("Whether inputs of activation functions are kept in 8 bits. | false") boolean fp8Activations,
            @Key("Memory of a logit at the loss: 6 where the loss is fused or compiled, 14 with PyTorch's"
                            + " cross_entropy on 32-bit logits. | 6 | bytes | 2..16")
                    int logitBytes,
            @Key("How replicas divide the optimizer: they gather weights in buckets, as Megatron-LM does, or as"
                            + " DeepSpeed, which copies gradients and keeps what stages sent, or tensor by tensor, each sent by"
                            + " its owner, as InternEvo does. | buckets")
                    TrainingJob.Sharding sharding) {}

    /** The section {@code search}; an empty list leaves an axis to the rules. */
    public record SearchSettings(
            @Key("Device counts to compare; empty for cluster.devices alone. | [] | 1..131072") List<Integer> devices,
            @Key("Tensor-parallel degrees. | [] | 1..1000000") List<Integer> tp,
            @Key("Pipeline-parallel degrees. | [] | 1..1000000") List<Integer> pp,
            @Key("Virtual stages of a rank, for the interleaved schedule. | [] | 2..1000000") List<Integer> vp,
            @Key("Context-parallel degrees. | [] | 1..1000000") List<Integer> cp,
            @Key("Expert-parallel degrees. | [] | 1..1000000") List<Integer> ep,
            @Key("ZeRO stages; with a pipeline 2 and 3 are tried only where they are named. | [] | 0..3")
                    List<Integer> zero,
            @Key("Replicas that share one set of states under ZeRO, the others holding copies; empty for all replicas,"
                            + " and with ZeRO 3 those inside the fast links too. | [] | 1..1000000")
                    List<Integer> shard,
            @Key("Sequences of a micro-batch. | [] | 1..65536") List<Integer> microBatch,
            @Key("What is computed again. | []") List<Recompute> recompute,
            @Key("Pipeline schedules; empty for 1f1b and interleaved. | []") List<String> schedule,
            @Key("How many of the best are kept. | 10 | 1..1000") int top,
            @Key("Whether strategies are planned that no named framework runs. | false") boolean hypothetical) {}

    /** The section {@code run}. */
    public record RunSettings(
            @Key("Tokens of the whole training; null for none. | null | tokens | 1..1000000000000000000")
                    Optional<Long> tokens,
            @Key("Mean time between failures of one device; 0 for no failures. 50,000 is the order of what"
                            + " arXiv 2407.21783 reports for 16,384 H100 (419 unforeseen stops in 54 days). |"
                            + " 50000 | h | 0..1000000000")
                    double deviceMtbfH,
            @Key("Time to write a checkpoint while training waits. | 30 | s | 0..1000000000") double checkpointS,
            @Key("Time from a failure until training resumes from the last checkpoint. | 600 | s | 0..1000000000")
                    double restartS,
            @Key("Spread of the devices' step times, one standard deviation; every step waits for the slowest, which"
                            + " makes all of it longer. | 0 | % | 0..50")
                    double spreadPercent) {}
}
