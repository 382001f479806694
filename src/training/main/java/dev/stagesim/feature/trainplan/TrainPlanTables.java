package dev.stagesim.feature.trainplan;

import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import java.util.List;

/** The tables of a training plan. */
final class TrainPlanTables {
    static final TableSchema STRATEGIES = TableSchema.of(
            """
            strategies.csv 4 | The best strategies and the Pareto front of objective and memory, best first.
            rank | int 0.. | Rank by the objective, from 1; 0 for strategies that are only on the Pareto front.
            pareto | int 0..1 | 1 if no other strategy is both faster and smaller.
            devices | int 1.. | Devices.
            tp | int 1.. | Tensor parallelism.
            pp | int 1.. | Pipeline parallelism.
            vp | int 1.. | Virtual stages per rank.
            dp | int 1.. | Data parallelism, without context parallelism.
            cp | int 1.. | Context parallelism.
            ep | int 1.. | Expert parallelism.
            etp | int 1.. | Tensor parallelism of experts.
            zero | int 0.. | ZeRO stage.
            shard | int 1.. | Replicas per shard group.
            micro_batch | int 1.. | Sequences per micro-batch.
            micro_batches | int 1.. | Micro-batches per step and rank.
            recompute | text | Recomputation policy.
            schedule | text | Pipeline schedule.
            layers | text | Layers of each stage, joined by '-'.
            frameworks | text | Frameworks that run it; hypothetical if none does.
            step_s | real s 0.. | Step time in closed form.
            timeline_s | real s 0.. | Step time on the timeline of the pipeline.
            forward_s | real s 0.. | Forward time of all micro-batches, mean of the ranks.
            backward_s | real s 0.. | Backward time.
            recompute_s | real s 0.. | Recomputation time.
            tensor_s | real s 0.. | Exposed tensor-parallel collectives.
            context_s | real s 0.. | Exposed context-parallel communication.
            expert_s | real s 0.. | Exposed expert communication.
            bubble_s | real s 0.. | Pipeline fill and drain, and uneven stages.
            data_s | real s 0.. | Exposed communication of gradients and weights.
            optimizer_s | real s 0.. | Optimizer time.
            tokens_per_s | real tokens/s 0.. | Token rate of all devices.
            mfu_causal | real % 0.. | Utilisation with the causal half of attention.
            mfu_full | real % 0.. | Utilisation with full attention.
            hfu | real % 0.. | Utilisation including recomputation.
            usd_per_mtokens | real USD 0.. | Price per million tokens; 0 if unknown.
            weights_bytes | real bytes 0.. | Weights on the rank with the most memory in use.
            gradients_bytes | real bytes 0.. | Gradients.
            optimizer_bytes | real bytes 0.. | Optimizer states.
            activations_bytes | real bytes 0.. | Activations in flight.
            working_bytes | real bytes 0.. | Working memory of the current layer.
            head_bytes | real bytes 0.. | Logits and their gradient.
            memory_bytes | real bytes 0.. | Total.
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
            layers | int 0.. | Number of layers.
            weights_bytes | real bytes 0.. | Weights.
            gradients_bytes | real bytes 0.. | Gradients.
            optimizer_bytes | real bytes 0.. | Optimizer states.
            activations_bytes | real bytes 0.. | Activations in flight.
            working_bytes | real bytes 0.. | Working memory of the current layer.
            head_bytes | real bytes 0.. | Logits and their gradient.
            """,
            new RowInvariant.Increasing("rank"));

    static final TableSchema COLLECTIVES = TableSchema.of(
            """
            collectives.csv 1 | Collectives of a stage of the winner, each alone on all devices of the stage, by formula and
                    by simulation on an analytical network.
            part | text | Kind of parallelism and data.
            members | int 2.. | Devices per group.
            stride | int 1.. | Rank distance between members.
            bytes | real bytes 0.. | Bytes per device before a scatter or an exchange, or after a gather.
            times | real 0.. | Executions per step, mean of the stages.
            formula_s | real s 0.. | Duration of one execution by formula.
            network_s | real s 0.. | Duration of one execution on the network.
            """);

    static final TableSchema SENSITIVITY = TableSchema.of(
            """
            sensitivity.csv 1 | The best strategy after one change: another value of an axis, or another
                    cluster.
            change | text | Description of the change.
            step_s | real s 0.. | Step time of the best strategy on the simulated network; 0 if no strategy is feasible.
            change_percent | real % | Change of the objective relative to the winner, both on the network; 0 if no strategy is feasible.
            """);

    static final TableSchema CALIBRATION = TableSchema.of(
            """
            calibration.csv 2 | Measured steps and their predictions; only with measured.
            strategy | text | Strategy of the step.
            measured_s | real s 0.. | Measured step time.
            uncalibrated_s | real s 0.. | Prediction without calibration.
            held_out_s | real s 0.. | Prediction with the factor of the other steps.
            error_percent | real % | Error of held_out_s relative to the measured step time.
            """);

    private TrainPlanTables() {}

    /** Returns all tables. */
    static List<TableSchema> all() {
        return List.of(STRATEGIES, REJECTED, RANKS, COLLECTIVES, SENSITIVITY, CALIBRATION);
    }
}
