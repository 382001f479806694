package dev.stagesim.contract;

import java.util.List;

/** The tables of capacity planning. */
public final class FabricTables {
    public static final TableSchema TARGETS = TableSchema.of(
            """
            targets.csv 1 | Figures of every target over the whole schedule, with their ranges, one row per figure.
            target | text | Name of the target.
            figure | text | Name of the figure, unit last.
            value | real | Best estimate.
            low | real? | Lower end of the range.
            high | real? | Upper end of the range.
            evidence | text? | Run or table that it comes from; empty for the closed-form model.
            """);

    public static final TableSchema PHASES = TableSchema.of(
            """
            phases.csv 2 | Figures of every phase of the schedule on every target, with their ranges, one row per
                    figure.
            target | text | Name of the target.
            phase | text | Name of the phase.
            minutes | real min 0.. | How long it lasts.
            requests_per_s | real requests/s 0.. | Requests that come in; 0 in training.
            figure | text | Name of the figure, unit last.
            value | real 0.. | Best estimate.
            low | real? | Lower end of the range.
            high | real? | Upper end of the range.
            evidence | text? | Run or table that it comes from; empty for the closed-form model.
            """);

    public static final TableSchema CANDIDATES = TableSchema.of(
            """
            candidates.csv 3 | Every candidate of the optimiser and what became of it.
            candidate | int 0.. | Its number, from 0.
            target | text | Name of the target.
            tensor_parallel | int devices 1.. | Devices that share a layer.
            pipeline_stages | int 1.. | Groups of devices that share the layers.
            policy | text | Scheduler and batch; microbatch in training.
            load | real 0.. | Share of capacity that a node is to carry; nodes in training.
            status | text front/dominated/slo/saturated/infeasible | Outcome.
            reason | text? | Why it lost; empty on the front.
            cost_usd_per_mtok | real? USD | Cost of a million tokens; empty when it cannot run.
            ttft_p99_ms | real? ms | P99 of the time to first token in the worst phase.
            tpot_p99_ms | real? ms | P99 of the time per output token in the worst phase.
            step_ms | real? ms | Time of a training step.
            power_mean_kw | real? kW | Mean power, data centre included.
            peak_nodes | int? | Maximum number of nodes at a time.
            cost_evaluation | text? | Row of evaluations.csv that cost and nodes rest on.
            ttft_evaluation | text? | Row that the time to first token rests on.
            tpot_evaluation | text? | Row that the time per output token rests on.
            step_evaluation | text? | Row that the time of a step rests on; empty for the closed-form model.
            """,
            new RowInvariant.Increasing("candidate"));

    public static final TableSchema EVALUATIONS = TableSchema.of(
            """
            evaluations.csv 2 | Every simulation that figures rest on: of one copy that serves, or of a step of
                    training.
            evaluation | text | First digits of the digest of the question.
            kind | text saturated/loaded/step | saturated: all requests wait from the start; loaded: they come at a
                    rate; step: of training.
            device | text | Accelerator.
            tensor_parallel | int devices 1.. | Devices that share a layer.
            pipeline_stages | int 1.. | Groups of devices that share the layers.
            copies | int 1.. | Copies of the model; 1 of those that serve.
            policy | text | Scheduler and batch; microbatch in training.
            prompt | int tokens 1.. | Prompt tokens of a request, or tokens of a sequence.
            generate | int tokens 0.. | Output tokens of a request; 0 in training.
            rate | real? requests/s | Rate of arrivals; empty when saturated.
            requests_per_s | real? requests/s 0.. | Requests served.
            ttft_p50_ms | real? ms 0.. | Median time to first token.
            ttft_p99_ms | real? ms 0.. | P99 of it.
            tpot_p50_ms | real? ms 0.. | Median time per output token.
            tpot_p99_ms | real? ms 0.. | P99 of it.
            step_ms | real? ms 0.. | Time of a step; empty when serving.
            """);

    private FabricTables() {}

    /** All of them. */
    public static List<TableSchema> all() {
        return List.of(TARGETS, PHASES, CANDIDATES, EVALUATIONS);
    }
}
