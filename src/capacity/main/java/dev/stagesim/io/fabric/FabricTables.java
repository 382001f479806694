package dev.stagesim.io.fabric;

import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import java.util.List;

/** Tables of capacity planning. */
public final class FabricTables {
    public static final TableSchema TARGETS = TableSchema.of(
            """
            targets.csv 2 | Metrics of every target over the whole schedule, with their ranges, one row per metric.
            target | text | Name of the target.
            metric | text | Name of the metric, unit last.
            value | real | Best estimate.
            low | real? | Lower end of the range.
            high | real? | Upper end of the range.
            evidence | text? | Source run or table; empty for the closed-form model.
            """);

    public static final TableSchema PHASES = TableSchema.of(
            """
            phases.csv 3 | Metrics of every phase of the schedule on every target, with their ranges, one row per
                    metric.
            target | text | Name of the target.
            phase | text | Name of the phase.
            minutes | real min 0.. | Duration.
            requests_per_s | real requests/s 0.. | Request rate; 0 in training.
            metric | text | Name of the metric, unit last.
            value | real 0.. | Best estimate.
            low | real? | Lower end of the range.
            high | real? | Upper end of the range.
            evidence | text? | Source run or table; empty for the closed-form model.
            """);

    public static final TableSchema CANDIDATES = TableSchema.of(
            """
            candidates.csv 3 | Candidates of the optimiser and their outcome.
            candidate | int 0.. | Number of the candidate, from 0.
            target | text | Name of the target.
            tensor_parallel | int devices 1.. | Devices that share a layer.
            pipeline_stages | int 1.. | Groups of devices that share the layers.
            policy | text | Scheduler and batch; microbatch in training.
            load | real 0.. | Target utilisation of a node; nodes in training.
            status | text front/dominated/slo/saturated/infeasible | Outcome.
            reason | text? | Reason of the rejection; empty on the front.
            cost_usd_per_mtok | real? USD | Cost of a million tokens; empty if it cannot run.
            ttft_p99_ms | real? ms | P99 of the time to first token in the worst phase.
            tpot_p99_ms | real? ms | P99 of the time per output token in the worst phase.
            step_ms | real? ms | Time of a training step.
            power_mean_kw | real? kW | Mean power, data centre included.
            peak_nodes | int? | Maximum number of nodes at a time.
            cost_evaluation | text? | Row of evaluations.csv with the evidence of cost and nodes.
            ttft_evaluation | text? | Row with the evidence of the time to first token.
            tpot_evaluation | text? | Row with the evidence of the time per output token.
            step_evaluation | text? | Row with the evidence of the step time; empty for the closed-form model.
            """,
            new RowInvariant.Increasing("candidate"));

    public static final TableSchema EVALUATIONS = TableSchema.of(
            """
            evaluations.csv 2 | Simulations of one replica or of a training step, the evidence of metrics.
            evaluation | text | First digits of the digest of the evaluated configuration.
            kind | text saturated/loaded/step | saturated: all requests arrive at the start; loaded: they arrive at a
                    rate; step: a training step.
            device | text | Accelerator.
            tensor_parallel | int devices 1.. | Devices that share a layer.
            pipeline_stages | int 1.. | Groups of devices that share the layers.
            copies | int 1.. | Copies of the model; 1 for serving.
            policy | text | Scheduler and batch; microbatch in training.
            prompt | int tokens 1.. | Prompt tokens of a request, or tokens of a sequence.
            generate | int tokens 0.. | Output tokens of a request; 0 in training.
            rate | real? requests/s | Rate of arrivals; empty if saturated.
            requests_per_s | real? requests/s 0.. | Requests served.
            ttft_p50_ms | real? ms 0.. | Median time to first token.
            ttft_p99_ms | real? ms 0.. | P99 of the time to first token.
            tpot_p50_ms | real? ms 0.. | Median time per output token.
            tpot_p99_ms | real? ms 0.. | P99 of the time per output token.
            step_ms | real? ms 0.. | Time of a step; empty for serving.
            """);

    private FabricTables() {}

    public static List<TableSchema> all() {
        return List.of(TARGETS, PHASES, CANDIDATES, EVALUATIONS);
    }
}
