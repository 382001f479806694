package dev.stagesim.feature.fabric;

import dev.stagesim.report.Numbers;
import dev.stagesim.sim.capacity.ScheduleCost;
import dev.stagesim.stats.Interval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What a run found, in sentences. */
record ReportText(FabricStageSettings settings, FabricResult result) {
    private static final double HOURS_PER_DAY = 24;
    private static final double HOURS_PER_YEAR = 365 * HOURS_PER_DAY;
    private static final double KG_PER_TONNE = 1e3;

    String title() {
        return result.entry().name() + " on "
                + result.asked().deployment().target().name();
    }

    /** The answer in one or two sentences. */
    String lead() {
        FabricPlan asked = result.asked();
        if (asked.refusal().isPresent()) {
            return result.entry().name() + " cannot run on "
                    + asked.deployment().target().name() + ": "
                    + asked.refusal().get() + ".";
        }
        boolean served = result.entry().isServed();
        return (served ? "Serving " : "Training ") + result.entry().name() + " for " + span(asked) + " takes "
                + nodes(asked) + " and costs " + MetricText.usd(asked, FabricPlan.USD_TOTAL) + ": "
                + MetricText.usd(asked, FabricPlan.USD_PER_MTOK)
                + " for a million " + (served ? "output tokens." : "tokens.");
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
        int least = plan.totals().phases().stream()
                .mapToInt(ScheduleCost.Phase::nodes)
                .min()
                .orElse(0);
        int most = plan.totals().mostNodes();
        String count = least == most ? Integer.toString(most) : least + " to " + most;
        return count
                + (most == 1 ? " node (" : " nodes (")
                + plan.deployment().target().name()
                + (most == 1 ? ")" : " each)");
    }

    /** What short names of columns mean. */
    String terms() {
        String names = result.entry().isServed()
                ? "TTFT is the time to the first token of an answer, TPOT the time for each further one; 99 of 100 requests are"
                        + " faster than P99 says."
                : "A step works on one batch of all copies of the model.";
        return names + " Below each figure is the range that holds it with "
                + Numbers.fixed(100 * settings.uncertainty().level(), 0) + Numbers.SPACE + "% probability.";
    }

    /** With which settings the targets are compared. */
    String compared() {
        return result.best()
                ? "Each target runs with the settings that are cheapest on it (track best)."
                : "All targets run with the settings of the workload (track parity): "
                        + MetricText.setting(result.asked()) + ".";
    }

    /** Whether the slo holds, and what would be cheaper. */
    List<String> verdicts() {
        List<String> all = new ArrayList<>();
        List<String> broken = result.broken().get(0);
        if ((settings.slo().isAny() || !broken.isEmpty())
                && result.asked().refusal().isEmpty()) {
            all.add(
                    broken.isEmpty()
                            ? "It holds every limit that was set."
                            : "It breaks " + String.join("; ", broken) + ".");
        }
        if (result.asked().refusal().isEmpty()) {
            all.add(result.entry().isServed() ? yearly(result.asked()) : trained(result.asked()));
        }
        scaling().ifPresent(all::add);
        cheapest().ifPresent(plan -> all.add(compared(plan)));
        if (settings.optimize() && result.winner().isPresent()) {
            long front = result.candidates().stream()
                    .filter(FabricCandidate::isOnFront)
                    .count();
            all.add(Numbers.count(front) + (front == 1 ? " candidate is" : " candidates are")
                    + " on the front: each is the best trade of cost against speed in its own way.");
        }
        return all;
    }

    /** What the schedule comes to when it repeats for a year. */
    private static String yearly(FabricPlan plan) {
        double times = HOURS_PER_YEAR / plan.totals().hours();
        return "Repeated all year, that is " + scaled(plan, FabricPlan.USD_TOTAL, times) + " USD, "
                + scaled(plan, FabricPlan.ENERGY, times) + " kWh and "
                + scaled(plan, FabricPlan.CARBON, times / KG_PER_TONNE) + " t of CO₂.";
    }

    /** What has been trained on when the schedule is over. */
    private static String trained(FabricPlan plan) {
        double billions = plan.totals().tokens() / 1e9;
        Interval rate = plan.ranges().get(FabricPlan.TOKENS);
        double each = billions / plan.figure(FabricPlan.TOKENS);
        return "In that time it sees " + MetricText.rounded(billions)
                + (rate == null
                        ? ""
                        : " (" + MetricText.rounded(rate.low() * each) + " to " + MetricText.rounded(rate.high() * each)
                                + ")")
                + " billion tokens and takes " + scaled(plan, FabricPlan.ENERGY, 1) + " kWh and "
                + scaled(plan, FabricPlan.CARBON, 1 / KG_PER_TONNE) + " t of CO₂.";
    }

    private static String scaled(FabricPlan plan, String name, double factor) {
        Interval range = plan.ranges().get(name);
        return MetricText.rounded(factor * plan.figure(name))
                + (range == null
                        ? ""
                        : " (" + MetricText.rounded(factor * range.low()) + " to "
                                + MetricText.rounded(factor * range.high()) + ")");
    }

    /** The cheapest target against the one asked about. */
    private String compared(FabricPlan cheapest) {
        if (cheapest.equals(result.asked())) {
            return "None of the targets compared is cheaper"
                    + (settings.slo().isAny() ? " and holds the limits." : ".");
        }
        String which = "The cheapest target compared" + (settings.slo().isAny() ? " that holds the limits" : "")
                + " is "
                + cheapest.deployment().target().name() + ": " + MetricText.usd(cheapest, FabricPlan.USD_PER_MTOK)
                + " for a million tokens";
        FabricPlan asked = result.asked();
        if (asked.refusal().isPresent()) {
            return which + ".";
        }
        double less = 100 * (1 - cheapest.figure(FabricPlan.USD_PER_MTOK) / asked.figure(FabricPlan.USD_PER_MTOK));
        Interval own = asked.ranges().get(FabricPlan.USD_PER_MTOK);
        Interval other = cheapest.ranges().get(FabricPlan.USD_PER_MTOK);
        boolean overlap = own != null && other != null && other.high() > own.low();
        return which + ", " + Numbers.fixed(less, 0) + Numbers.SPACE + "% less"
                + (settings.source() == FabricStageSettings.Source.MEASURED ? "; it is simulated, not measured" : "")
                + (overlap ? "; the ranges overlap, so it may turn out otherwise." : ".");
    }

    /** What the busiest phase's nodes would cost all the time. */
    private Optional<String> scaling() {
        FabricPlan asked = result.asked();
        if (asked.refusal().isPresent() || asked.phases().size() < 2) {
            return Optional.empty();
        }
        int most = asked.totals().mostNodes();
        double fixed = asked.totals().phases().stream()
                .mapToDouble(phase -> phase.usd() / phase.nodes() * most)
                .sum();
        double saved = 100 * (1 - asked.figure(FabricPlan.USD_TOTAL) / fixed);
        return saved < 0.5
                ? Optional.empty()
                : Optional.of("With the nodes of the busiest phase all the time it would be " + MetricText.usd(fixed)
                        + "; following the load saves " + Numbers.fixed(saved, 0) + Numbers.SPACE + "%.");
    }

    private Optional<FabricPlan> cheapest() {
        List<FabricPlan> able = new ArrayList<>();
        for (int i = 0; i < result.plans().size(); i++) {
            if (result.plans().get(i).refusal().isEmpty()
                    && result.broken().get(i).isEmpty()) {
                able.add(result.plans().get(i));
            }
        }
        return able.size() < 2
                ? Optional.empty()
                : able.stream().min(Comparator.comparingDouble(plan -> plan.figure(FabricPlan.USD_PER_MTOK)));
    }

    /** The answer of a search. */
    String optimum() {
        String tried = Numbers.count(result.candidates().size()) + " candidates";
        if (result.winner().isEmpty()) {
            return "None of " + tried + " holds the limits.";
        }
        FabricPlan plan = result.winner().get().plan();
        return "Of " + tried + " the cheapest that holds the limits is " + MetricText.describe(plan) + ": "
                + MetricText.usd(plan, FabricPlan.USD_PER_MTOK) + " for a million tokens.";
    }

    /** The command that runs the winner. */
    String command() {
        return "stage fabric --config-snapshot RUN/" + WinnerConfig.FOLDER;
    }
}
