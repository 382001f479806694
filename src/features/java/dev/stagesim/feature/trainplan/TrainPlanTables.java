package dev.stagesim.feature.trainplan;

import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import java.util.List;

/** The tables of a plan for training. */
final class TrainPlanTables {
    static final TableSchema STRATEGIES = TableSchema.of(
            """
            strategies.csv 4 | The best strategies and the Pareto front of score and memory, best first.
            rank | int 0.. | Place by the objective, from 1; 0 for those only on the Pareto front.
            pareto | int 0..1 | 1 if no other strategy is both faster and smaller.
            devices | int 1.. | Devices.
            tp | int 1.. | Tensor parallelism.
            pp | int 1.. | Pipeline parallelism.
            vp | int 1.. | Virtual stages of a rank.
            dp | int 1.. | Data parallelism, without context parallelism.
            cp | int 1.. | Context parallelism.
            ep | int 1.. | Expert parallelism.
            etp | int 1.. | Tensor parallelism of experts.
            zero | int 0.. | ZeRO stage.
            shard | int 1.. | Replicas that share one set of states.
            micro_batch | int 1.. | Sequences of a micro-batch.
            micro_batches | int 1.. | Micro-batches a step and rank.
            recompute | text | What is computed again.
            schedule | text | Pipeline schedule.
            layers | text | Layers of each stage, joined by '-'.
            frameworks | text | Frameworks that run it; hypothetical if none does.
            step_s | real s 0.. | Time of a step in closed form.
            timeline_s | real s 0.. | The same with the pipeline run operation by operation.
            forward_s | real s 0.. | Forward of all micro-batches, mean of the ranks.
            backward_s | real s 0.. | Backward.
            recompute_s | real s 0.. | What is computed again.
            tensor_s | real s 0.. | Exposed tensor-parallel collectives.
            context_s | real s 0.. | Exposed context-parallel exchange.
            expert_s | real s 0.. | Exposed exchange of experts.
            bubble_s | real s 0.. | Filling, draining and uneven stages.
            data_s | real s 0.. | Exposed gradients and weights.
            optimizer_s | real s 0.. | Optimizer.
            tokens_per_s | real tokens/s 0.. | Tokens of all devices.
            mfu_causal | real % 0.. | Utilisation with the causal half of attention.
            mfu_full | real % 0.. | Utilisation with all of attention.
            hfu | real % 0.. | Utilisation with what is computed again.
            usd_per_mtokens | real USD 0.. | Price of a million tokens; 0 where no price is known.
            weights_bytes | real bytes 0.. | Weights on the fullest rank.
            gradients_bytes | real bytes 0.. | Gradients.
            optimizer_bytes | real bytes 0.. | Optimizer states.
            activations_bytes | real bytes 0.. | Activations in flight.
            working_bytes | real bytes 0.. | The layer at work.
            head_bytes | real bytes 0.. | Logits and their gradient.
            memory_bytes | real bytes 0.. | All of them.
            """);

    static final TableSchema REJECTED = TableSchema.of(
            """
            rejected.csv 1 | Combinations that a rule rejected before any estimate; a rule that cuts a branch counts
                    once.
            rule | text | Name of the rule.
            count | int 0.. | Combinations.
            """);

    static final TableSchema RANKS = TableSchema.of(
            """
            ranks.csv 1 | Memory of each pipeline rank of the winner, by part.
            rank | int 0.. | Pipeline rank, from 0.
            layers | int 0.. | Layers it holds.
            weights_bytes | real bytes 0.. | Weights.
            gradients_bytes | real bytes 0.. | Gradients.
            optimizer_bytes | real bytes 0.. | Optimizer states.
            activations_bytes | real bytes 0.. | Activations in flight.
            working_bytes | real bytes 0.. | The layer at work.
            head_bytes | real bytes 0.. | Logits and their gradient.
            """,
            new RowInvariant.Increasing("rank"));

    static final TableSchema COLLECTIVES = TableSchema.of(
            """
            collectives.csv 1 | Collectives of a stage of the winner, each alone on all devices of the stage: by formula, and
                    run by the collective simulator on an analytical network.
            part | text | What is exchanged.
            members | int 2.. | Devices of a group.
            stride | int 1.. | Ranks between two of them.
            bytes | real bytes 0.. | What a device holds before a scatter or an exchange, or after a gather.
            times | real 0.. | How often in a step, mean of the stages.
            formula_s | real s 0.. | One of them by formula.
            network_s | real s 0.. | One of them on the network.
            """);

    static final TableSchema SENSITIVITY = TableSchema.of(
            """
            sensitivity.csv 1 | The best strategy when one thing is changed: an axis held at another value, or the
                    cluster.
            change | text | What is changed.
            step_s | real s 0.. | Best step then; 0 when nothing fits.
            change_percent | real % | Beside the winner by the objective; 0 when nothing fits.
            """);

    static final TableSchema CALIBRATION = TableSchema.of(
            """
            calibration.csv 2 | The measured steps beside their predictions; written with measured.
            strategy | text | Parallelism of the step.
            measured_s | real s 0.. | Measured step.
            uncalibrated_s | real s 0.. | Predicted without a factor.
            held_out_s | real s 0.. | Predicted with the factor of the other steps.
            error_percent | real % | Of the latter, beside the measured step.
            """);

    private TrainPlanTables() {}

    /** All of them. */
    static List<TableSchema> all() {
        return List.of(STRATEGIES, REJECTED, RANKS, COLLECTIVES, SENSITIVITY, CALIBRATION);
    }
}
