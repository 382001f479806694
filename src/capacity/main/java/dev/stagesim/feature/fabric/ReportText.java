package dev.stagesim.feature.fabric;

import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.capacity.ScheduleCost;
import dev.stagesim.stats.Interval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Sentences of the report. */
record ReportText(FabricStageSettings settings, FabricResult result) {
    private static final double HOURS_PER_DAY = 24;
    private static final double HOURS_PER_YEAR = 365 * HOURS_PER_DAY;
    private static final double KG_PER_TONNE = 1e3;

    String title() {
        return result.entry().name() + " on "
                + result.requested().deployment().target().name();
    }

    /** Summarises the requested target in one or two sentences. */
    String summary() {
        FabricPlan requested = result.requested();
        if (requested.refusal().isPresent()) {
            return result.entry().name() + " cannot run on "
                    + requested.deployment().target().name() + ": "
                    + requested.refusal().get() + ".";
        }
        boolean served = result.entry().isServed();
        return (served ? "Serving " : "Training ") + result.entry().name() + " (" + model() + ") for " + span(requested)
                + " requires "
                + nodes(requested) + " and costs " + MetricText.usd(requested, FabricPlan.USD_TOTAL) + ": "
                + MetricText.usd(requested, FabricPlan.USD_PER_MTOK)
                + " per million " + (served ? "output tokens." : "tokens.");
    }

    /** Returns the model of the workload: its family if stated, and its shape. */
    private String model() {
        CatalogEntry entry = result.entry();
        String family = entry.tree()
                .get("model_family")
                .filter(JsonValue.Str.class::isInstance)
                .map(name -> ((JsonValue.Str) name).value())
                .orElse("a model");
        return family + " with " + Numbers.count(entry.layers()) + " layers of width "
                + Numbers.count(entry.hiddenSize());
    }

    private static String span(FabricPlan plan) {
        double hours = plan.totals().hours();
        return hours == HOURS_PER_DAY
                ? "a day"
                : hours < HOURS_PER_DAY
                        ? Numbers.plain(Math.round(10 * hours) / 10.0) + " hours"
                        : Numbers.plain(Math.round(10 * hours / HOURS_PER_DAY) / 10.0) + " days";
    }

    private static String nodes(FabricPlan plan) {
        int min = plan.totals().phases().stream()
                .mapToInt(ScheduleCost.Phase::nodes)
                .min()
                .orElse(0);
        int max = plan.totals().mostNodes();
        String count = min == max ? Integer.toString(max) : min + " to " + max;
        return count
                + (max == 1 ? " node (" : " nodes (")
                + plan.deployment().target().name()
                + (max == 1 ? ")" : " each)");
    }

    /** Explains abbreviations in column headings. */
    String abbreviations() {
        String names = result.entry().isServed()
                ? "TTFT is the time to first token, TPOT the time per output token after it; P99 is the 99th percentile."
                : "A step processes one batch on all copies of the model.";
        return names + " The range below each metric contains it with "
                + Numbers.fixed(100 * settings.operation().uncertainty().level(), 0) + Numbers.SPACE + "% probability.";
    }

    /** Describes the settings of the compared targets. */
    String compared() {
        return result.best()
                ? "Each target uses its cheapest settings (track best)."
                : "All targets use the settings of the workload (track parity): "
                        + MetricText.setting(result.requested()) + ".";
    }

    /** States SLO violations, yearly cost and cheaper alternatives. */
    List<String> remarks() {
        List<String> all = new ArrayList<>();
        List<String> violations = result.violations().get(0);
        if ((settings.operation().slo().isAny() || !violations.isEmpty())
                && result.requested().refusal().isEmpty()) {
            all.add(
                    violations.isEmpty()
                            ? "It meets all limits."
                            : "It violates: " + String.join("; ", violations) + ".");
        }
        if (result.requested().refusal().isEmpty()) {
            all.add(result.entry().isServed() ? yearly(result.requested()) : trained(result.requested()));
        }
        scaling().ifPresent(all::add);
        cheapest().ifPresent(plan -> all.add(compared(plan)));
        if (settings.optimizer().optimize() && result.winner().isPresent()) {
            long front = result.candidates().stream()
                    .filter(FabricCandidate::isOnFront)
                    .count();
            all.add(Numbers.count(front) + (front == 1 ? " candidate is" : " candidates are")
                    + " on the Pareto front: no other candidate is better in cost and speed.");
        }
        return all;
    }

    /** Extrapolates the schedule to a year. */
    private static String yearly(FabricPlan plan) {
        double times = HOURS_PER_YEAR / plan.totals().hours();
        return "Over a year, that is " + scaled(plan, FabricPlan.USD_TOTAL, times) + " USD, "
                + scaled(plan, FabricPlan.ENERGY, times) + " kWh and "
                + scaled(plan, FabricPlan.CARBON, times / KG_PER_TONNE) + " t of CO₂.";
    }

    /** States the tokens trained on during the schedule. */
    private static String trained(FabricPlan plan) {
        double billions = plan.totals().tokens() / 1e9;
        Interval rate = plan.ranges().get(FabricPlan.TOKENS);
        double each = billions / plan.metric(FabricPlan.TOKENS);
        return "It trains on " + MetricText.rounded(billions)
                + (rate == null
                        ? ""
                        : " (" + MetricText.rounded(rate.low() * each) + " to " + MetricText.rounded(rate.high() * each)
                                + ")")
                + " billion tokens in that time and uses " + scaled(plan, FabricPlan.ENERGY, 1) + " kWh and "
                + scaled(plan, FabricPlan.CARBON, 1 / KG_PER_TONNE) + " t of CO₂.";
    }

    private static String scaled(FabricPlan plan, String name, double factor) {
        Interval range = plan.ranges().get(name);
        return MetricText.rounded(factor * plan.metric(name))
                + (range == null
                        ? ""
                        : " (" + MetricText.rounded(factor * range.low()) + " to "
                                + MetricText.rounded(factor * range.high()) + ")");
    }

    /** Compares the cheapest target with the requested one. */
    private String compared(FabricPlan cheapest) {
        if (cheapest.equals(result.requested())) {
            return "No other target is cheaper" + (settings.operation().slo().isAny() ? " and meets the limits." : ".");
        }
        String which = "The cheapest target" + (settings.operation().slo().isAny() ? " that meets the limits" : "")
                + " is "
                + cheapest.deployment().target().name() + ": " + MetricText.usd(cheapest, FabricPlan.USD_PER_MTOK)
                + " per million tokens";
        FabricPlan requested = result.requested();
        if (requested.refusal().isPresent()) {
            return which + ".";
        }
        double less = 100 * (1 - cheapest.metric(FabricPlan.USD_PER_MTOK) / requested.metric(FabricPlan.USD_PER_MTOK));
        Interval requestedRange = requested.ranges().get(FabricPlan.USD_PER_MTOK);
        Interval cheapestRange = cheapest.ranges().get(FabricPlan.USD_PER_MTOK);
        boolean overlap =
                requestedRange != null && cheapestRange != null && cheapestRange.high() > requestedRange.low();
        return which + ", " + Numbers.fixed(less, 0) + Numbers.SPACE + "% less"
                + (settings.machines().source() == FabricStageSettings.Source.MEASURED
                        ? "; it is simulated, not measured"
                        : "")
                + (overlap ? "; the ranges overlap, so the order is uncertain." : ".");
    }

    /** States the savings of autoscaling relative to a fixed number of nodes. */
    private Optional<String> scaling() {
        FabricPlan requested = result.requested();
        if (requested.refusal().isPresent() || requested.phases().size() < 2) {
            return Optional.empty();
        }
        int max = requested.totals().mostNodes();
        double fixed = requested.totals().phases().stream()
                .mapToDouble(phase -> phase.usd() / phase.nodes() * max)
                .sum();
        double saved = 100 * (1 - requested.metric(FabricPlan.USD_TOTAL) / fixed);
        return saved < 0.5
                ? Optional.empty()
                : Optional.of("A fixed number of nodes for the busiest phase would cost " + MetricText.usd(fixed)
                        + "; autoscaling saves " + Numbers.fixed(saved, 0) + Numbers.SPACE + "%.");
    }

    private Optional<FabricPlan> cheapest() {
        List<FabricPlan> feasible = new ArrayList<>();
        for (int i = 0; i < result.plans().size(); i++) {
            if (result.plans().get(i).refusal().isEmpty()
                    && result.violations().get(i).isEmpty()) {
                feasible.add(result.plans().get(i));
            }
        }
        return feasible.size() < 2
                ? Optional.empty()
                : feasible.stream().min(Comparator.comparingDouble(plan -> plan.metric(FabricPlan.USD_PER_MTOK)));
    }

    /** Summarises the search. */
    String searchSummary() {
        String requested = result.requested().deployment().target().name();
        String count = Numbers.count(result.candidates().size()) + " candidates on "
                + (result.plans().size() == 1
                        ? requested
                        : "all " + result.plans().size() + " targets");
        if (result.winner().isEmpty()) {
            return "None of " + count + " meets the limits.";
        }
        FabricPlan plan = result.winner().get().plan();
        String winner = plan.deployment().target().name();
        return "Of " + count + ", the cheapest one that meets the limits is " + MetricText.describe(plan) + ": "
                + MetricText.usd(plan, FabricPlan.USD_PER_MTOK) + " per million tokens."
                + (winner.equals(requested)
                        ? ""
                        : " Metrics named winner_ are of " + winner + ", the others of " + requested + ".");
    }

    /** Returns the command that runs the winner. */
    String command() {
        return "stage fabric --config-snapshot RUN/" + WinnerConfig.FOLDER;
    }
}
