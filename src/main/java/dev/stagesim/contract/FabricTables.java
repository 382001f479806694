package dev.stagesim.contract;

import static dev.stagesim.contract.Column.float64;
import static dev.stagesim.contract.Column.int64;
import static dev.stagesim.contract.Column.string;

import java.util.List;

/** The tables of capacity planning. */
public final class FabricTables {
    private static final String MS = "ms";
    private static final String LOW = "Lower end of the range.";
    private static final String HIGH = "Upper end of the range.";

    /** Targets side by side. */
    public static final TableSchema TARGETS = new TableSchema(
            "targets.csv",
            1,
            "Figures of every target over the whole schedule, with their ranges, one row per figure.",
            List.of(
                    string("target", "Name of the target."),
                    string("figure", "Name of the figure, unit last."),
                    float64("value", "", "Best estimate."),
                    float64("low", "", LOW).orEmpty(),
                    float64("high", "", HIGH).orEmpty(),
                    string("evidence", "Run or table that it comes from; empty for the closed-form model.")
                            .orEmpty()),
            List.of());

    /** Phases of each target. */
    public static final TableSchema PHASES = new TableSchema(
            "phases.csv",
            2,
            "Figures of every phase of the schedule on every target, with their ranges, one row per figure.",
            List.of(
                    string("target", "Name of the target."),
                    string("phase", "Name of the phase."),
                    float64("minutes", "min", "How long it lasts.").atLeast(0),
                    float64("requests_per_s", "requests/s", "Requests that come in; 0 in training.")
                            .atLeast(0),
                    string("figure", "Name of the figure, unit last."),
                    float64("value", "", "Best estimate.").atLeast(0),
                    float64("low", "", LOW).orEmpty(),
                    float64("high", "", HIGH).orEmpty(),
                    string("evidence", "Run or table that it comes from; empty for the closed-form model.")
                            .orEmpty()),
            List.of());

    /** Candidates of a search. */
    public static final TableSchema CANDIDATES = new TableSchema(
            "candidates.csv",
            2,
            "Every candidate of the optimiser and what became of it.",
            List.of(
                    int64("candidate", "", "Its number, from 0.").atLeast(0),
                    string("target", "Name of the target."),
                    int64("tensor_parallel", "devices", "Devices that share a layer.")
                            .atLeast(1),
                    int64("pipeline_stages", "", "Groups of devices that share the layers.")
                            .atLeast(1),
                    string("policy", "Scheduler and batch; microbatch in training."),
                    float64("load", "", "Share of capacity that a node is to carry; nodes in training.")
                            .atLeast(0),
                    string("fate", "What became of it.")
                            .oneOf(List.of("front", "dominated", "slo", "saturated", "infeasible")),
                    string("reason", "Why it lost; empty on the front.").orEmpty(),
                    float64("cost_usd_per_mtok", "USD", "Cost of a million tokens; empty when it cannot run.")
                            .orEmpty(),
                    float64("ttft_p99_ms", MS, "P99 of the time to first token in the worst phase.")
                            .orEmpty(),
                    float64("tpot_p99_ms", MS, "P99 of the time per output token in the worst phase.")
                            .orEmpty(),
                    float64("step_ms", MS, "Time of a training step.").orEmpty(),
                    float64("power_mean_kw", "kW", "Mean power, data centre included.")
                            .orEmpty(),
                    int64("nodes_most", "", "Most nodes at a time.").orEmpty(),
                    string("cost_evaluation", "Row of evaluations.csv that cost and nodes rest on.")
                            .orEmpty(),
                    string("ttft_evaluation", "Row that the time to first token rests on.")
                            .orEmpty(),
                    string("tpot_evaluation", "Row that the time per output token rests on.")
                            .orEmpty(),
                    string("step_evaluation", "Row that the time of a step rests on; empty for the closed-form model.")
                            .orEmpty()),
            List.of(new RowInvariant.Increasing("candidate")));

    /** Simulations behind the figures. */
    public static final TableSchema EVALUATIONS = new TableSchema(
            "evaluations.csv",
            2,
            "Every simulation that figures rest on: of one copy that serves, or of a step of training.",
            List.of(
                    string("evaluation", "First digits of the digest of the question."),
                    string(
                                    "kind",
                                    "saturated: all requests wait from the start; loaded: they come at a rate; step: of"
                                            + " training.")
                            .oneOf(List.of("saturated", "loaded", "step")),
                    string("device", "Accelerator."),
                    int64("tensor_parallel", "devices", "Devices that share a layer.")
                            .atLeast(1),
                    int64("pipeline_stages", "", "Groups of devices that share the layers.")
                            .atLeast(1),
                    int64("copies", "", "Copies of the model; 1 of those that serve.")
                            .atLeast(1),
                    string("policy", "Scheduler and batch; microbatch in training."),
                    int64("prompt", "tokens", "Prompt tokens of a request, or tokens of a sequence.")
                            .atLeast(1),
                    int64("generate", "tokens", "Output tokens of a request; 0 in training.")
                            .atLeast(0),
                    float64("rate", "requests/s", "Rate of arrivals; empty when saturated.")
                            .orEmpty(),
                    served("requests_per_s", "requests/s", "Requests served."),
                    served("ttft_p50_ms", MS, "Median time to first token."),
                    served("ttft_p99_ms", MS, "P99 of it."),
                    served("tpot_p50_ms", MS, "Median time per output token."),
                    served("tpot_p99_ms", MS, "P99 of it."),
                    float64("step_ms", MS, "Time of a step; empty when serving.")
                            .atLeast(0)
                            .orEmpty()),
            List.of());

    private FabricTables() {}

    private static Column served(String name, String unit, String doc) {
        return float64(name, unit, doc).atLeast(0).orEmpty();
    }

    /** All of them. */
    public static List<TableSchema> all() {
        return List.of(TARGETS, PHASES, CANDIDATES, EVALUATIONS);
    }
}
