package dev.stagesim.stage.fabric;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.DataTable.Cell;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.capacity.ScheduleCost;
import dev.stagesim.stats.Interval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a run found in sentences and tables, for page and summary alike. */
final class Wording {
    private static final int DIGITS = 3;
    private static final String RECORD = "fabric.json";
    private static final double HOURS_PER_DAY = 24;
    private static final double HOURS_PER_YEAR = 365 * HOURS_PER_DAY;
    private static final double MINUTES_PER_HOUR = 60;
    private static final double KG_PER_TONNE = 1e3;

    private final FabricStageSettings settings;
    private final Result result;

    Wording(FabricStageSettings settings, Result result) {
        this.settings = settings;
        this.result = result;
    }

    String title() {
        return result.entry().name() + " on "
                + result.asked().deployment().target().name();
    }

    /** The answer in one or two sentences. */
    String lead() {
        Plan asked = result.asked();
        if (asked.refusal().isPresent()) {
            return result.entry().name() + " cannot run on "
                    + asked.deployment().target().name() + ": "
                    + asked.refusal().get() + ".";
        }
        boolean served = result.entry().isServed();
        return (served ? "Serving " : "Training ") + result.entry().name() + " for " + span(asked) + " takes "
                + nodes(asked) + " and costs " + usd(asked, Plan.USD_TOTAL) + ": " + usd(asked, Plan.USD_PER_MTOK)
                + " for a million " + (served ? "output tokens." : "tokens.");
    }

    private static String span(Plan plan) {
        double hours = plan.totals().hours();
        return hours == HOURS_PER_DAY
                ? "a day"
                : hours < HOURS_PER_DAY
                        ? Numbers.plain(Math.round(10 * hours) / 10.0) + " hours"
                        : Numbers.plain(Math.round(10 * hours / HOURS_PER_DAY) / 10.0) + " days";
    }

    private static String nodes(Plan plan) {
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

    /** Money with its range in brackets. */
    private static String usd(Plan plan, String name) {
        Interval range = plan.ranges().get(name);
        String between = range == null ? "" : between(name, range);
        return value(name, plan.figure(name)) + Numbers.SPACE + "USD" + (between.isEmpty() ? "" : " (" + between + ")");
    }

    /** What short names of columns mean. */
    String terms() {
        return result.entry().isServed()
                ? "TTFT is the time to the first token of an answer, TPOT the time for each further one; 99 of 100 requests are"
                        + " faster than P99 says. Below each figure is the range that holds it with "
                        + Numbers.fixed(100 * settings.uncertainty().level(), 0) + Numbers.SPACE + "% probability."
                : "A step works on one batch of all copies of the model. Below each figure is the range that holds it with "
                        + Numbers.fixed(100 * settings.uncertainty().level(), 0) + Numbers.SPACE + "% probability.";
    }

    /** With which settings the targets are compared. */
    String compared() {
        return result.best()
                ? "Each target runs with the settings that are cheapest on it (track best)."
                : "All targets run with the settings of the workload (track parity): " + setting(result.asked()) + ".";
    }

    /** Whether the slo holds, and what would be cheaper. */
    List<String> verdicts() {
        List<String> all = new ArrayList<>();
        List<String> broken = result.broken().get(0);
        if ((isLimited() || !broken.isEmpty()) && result.asked().refusal().isEmpty()) {
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
            long front =
                    result.candidates().stream().filter(Candidate::isOnFront).count();
            all.add(Numbers.count(front) + (front == 1 ? " candidate is" : " candidates are")
                    + " on the front: each is the best trade of cost against speed in its own way.");
        }
        return all;
    }

    private boolean isLimited() {
        return settings.slo().p99TtftMs().isPresent()
                || settings.slo().p99TpotMs().isPresent()
                || settings.slo().stepMs().isPresent()
                || settings.slo().usdPerMtok().isPresent()
                || settings.slo().powerKw().isPresent();
    }

    /** What the schedule comes to when it repeats for a year. */
    private static String yearly(Plan plan) {
        double times = HOURS_PER_YEAR / plan.totals().hours();
        return "Repeated all year, that is " + scaled(plan, Plan.USD_TOTAL, times) + " USD, "
                + scaled(plan, Plan.ENERGY, times) + " kWh and "
                + scaled(plan, Plan.CARBON, times / KG_PER_TONNE) + " t of CO₂.";
    }

    /** What has been trained on when the schedule is over. */
    private static String trained(Plan plan) {
        double billions = plan.totals().tokens() / 1e9;
        Interval rate = plan.ranges().get(Plan.TOKENS);
        double each = billions / plan.figure(Plan.TOKENS);
        return "In that time it sees " + rounded(billions)
                + (rate == null ? "" : " (" + rounded(rate.low() * each) + " to " + rounded(rate.high() * each) + ")")
                + " billion tokens and takes " + scaled(plan, Plan.ENERGY, 1) + " kWh and "
                + scaled(plan, Plan.CARBON, 1 / KG_PER_TONNE) + " t of CO₂.";
    }

    private static String scaled(Plan plan, String name, double factor) {
        Interval range = plan.ranges().get(name);
        return rounded(factor * plan.figure(name))
                + (range == null
                        ? ""
                        : " (" + rounded(factor * range.low()) + " to " + rounded(factor * range.high()) + ")");
    }

    /** The cheapest target against the one asked about. */
    private String compared(Plan cheapest) {
        if (cheapest.equals(result.asked())) {
            return "None of the targets compared is cheaper" + (isLimited() ? " and holds the limits." : ".");
        }
        String which = "The cheapest target compared" + (isLimited() ? " that holds the limits" : "") + " is "
                + cheapest.deployment().target().name() + ": " + usd(cheapest, Plan.USD_PER_MTOK)
                + " for a million tokens";
        Plan asked = result.asked();
        if (asked.refusal().isPresent()) {
            return which + ".";
        }
        double less = 100 * (1 - cheapest.figure(Plan.USD_PER_MTOK) / asked.figure(Plan.USD_PER_MTOK));
        Interval own = asked.ranges().get(Plan.USD_PER_MTOK);
        Interval other = cheapest.ranges().get(Plan.USD_PER_MTOK);
        boolean overlap = own != null && other != null && other.high() > own.low();
        return which + ", " + Numbers.fixed(less, 0) + Numbers.SPACE + "% less"
                + (settings.source() == FabricStageSettings.Source.MEASURED ? "; it is simulated, not measured" : "")
                + (overlap ? "; the ranges overlap, so it may turn out otherwise." : ".");
    }

    /** What the busiest phase's nodes would cost all the time. */
    private Optional<String> scaling() {
        Plan asked = result.asked();
        if (asked.refusal().isPresent() || asked.phases().size() < 2) {
            return Optional.empty();
        }
        int most = asked.totals().mostNodes();
        double fixed = asked.totals().phases().stream()
                .mapToDouble(phase -> phase.usd() / phase.nodes() * most)
                .sum();
        double saved = 100 * (1 - asked.figure(Plan.USD_TOTAL) / fixed);
        return saved < 0.5
                ? Optional.empty()
                : Optional.of("With the nodes of the busiest phase all the time it would be " + usd(fixed)
                        + "; following the load saves " + Numbers.fixed(saved, 0) + Numbers.SPACE + "%.");
    }

    private Optional<Plan> cheapest() {
        List<Plan> able = new ArrayList<>();
        for (int i = 0; i < result.plans().size(); i++) {
            if (result.plans().get(i).refusal().isEmpty()
                    && result.broken().get(i).isEmpty()) {
                able.add(result.plans().get(i));
            }
        }
        return able.size() < 2
                ? Optional.empty()
                : able.stream().min(Comparator.comparingDouble(plan -> plan.figure(Plan.USD_PER_MTOK)));
    }

    /** The answer of a search. */
    String optimum() {
        String tried = Numbers.count(result.candidates().size()) + " candidates";
        if (result.winner().isEmpty()) {
            return "None of " + tried + " holds the limits.";
        }
        Plan plan = result.winner().get().plan();
        return "Of " + tried + " the cheapest that holds the limits is " + describe(plan) + ": "
                + usd(plan, Plan.USD_PER_MTOK) + " for a million tokens.";
    }

    String describe(Plan plan) {
        return plan.deployment().target().name() + ", " + setting(plan)
                + (plan.detail() > 0
                        ? ", " + Numbers.plain(plan.load()) + (plan.load() == 1 ? " node" : " nodes")
                        : ", loaded to " + Numbers.fixed(100 * plan.load(), 0) + Numbers.SPACE + "%");
    }

    /** Parallelism, scheduler and batch. */
    static String setting(Plan plan) {
        Deployment deployment = plan.deployment();
        return "TP " + deployment.tp() + (deployment.pp() > 1 ? ", PP " + deployment.pp() : "") + ", "
                + CandidateTable.policy(plan);
    }

    /** The command that runs the winner. */
    String command() {
        return "stage fabric --config-snapshot RUN/" + Winner.FOLDER;
    }

    /** Targets side by side, one row each; under each figure its range. */
    DataTable sideBySide() {
        DataTable table = new DataTable("Every target over the whole schedule").text("Target");
        List<String> names = Plan.NAMES.stream()
                .filter(name -> !name.equals(Plan.ENERGY))
                .filter(name -> !name.equals(Plan.TOKENS) || !result.entry().isServed())
                .filter(name -> result.plans().stream().anyMatch(plan -> plan.has(name)))
                .toList();
        names.forEach(name -> table.number(ownHeading(name), ownLabel(name)));
        table.text("Limits");
        for (int i = 0; i < result.plans().size(); i++) {
            Plan plan = result.plans().get(i);
            List<Cell> cells = new ArrayList<>();
            Cell name = Cell.of(plan.deployment().target().name());
            cells.add(result.best() ? name.note(setting(plan)) : name);
            names.forEach(figure -> cells.add(cell(plan, figure, RECORD)));
            cells.add(verdict(plan, result.broken().get(i)));
            table.row(cells);
        }
        return table;
    }

    private Cell verdict(Plan plan, List<String> broken) {
        if (plan.refusal().isPresent()) {
            return Cell.of("cannot run").tone("bad").hint(plan.refusal().get());
        }
        if (broken.isEmpty() && !isLimited()) {
            return Cell.of("none").tone("faint").hint("no limit was set, see slo");
        }
        return broken.isEmpty()
                ? Cell.of("held").tone("good")
                : Cell.of("broken").tone("bad").hint(String.join("; ", broken));
    }

    /** A figure with its range below and a link to what it rests on, or to {@code otherwise} where that is a formula. */
    private static Cell cell(Plan plan, String name, String otherwise) {
        return plan.has(name)
                ? figure(
                        name,
                        plan.figure(name),
                        Optional.ofNullable(plan.ranges().get(name)),
                        Evidence.of(plan, name),
                        otherwise)
                : Cell.of(Numbers.NONE).tone("faint");
    }

    private static Cell figure(String name, double value, Optional<Interval> range, String link, String otherwise) {
        Cell cell = Cell.of(value(name, value)).link(link.isEmpty() ? otherwise : link);
        return range.map(of -> between(name, of))
                .filter(text -> !text.isEmpty())
                .map(cell::note)
                .orElse(cell);
    }

    /** A range in words; empty where both ends read the same. */
    static String between(String name, Interval range) {
        String low = value(name, range.low());
        String high = value(name, range.high());
        return low.equals(high) ? "" : low + " to " + high;
    }

    /** Nodes of training are always busy: what counts is how much of their peak the model's operations take. */
    private String ownHeading(String name) {
        return name.equals(Plan.UTILIZATION) && !result.entry().isServed() ? "Of peak (%)" : heading(name);
    }

    /** A label that says of which kind of work a figure is. */
    String ownLabel(String name) {
        return name.equals(Plan.UTILIZATION) && !result.entry().isServed()
                ? "The model's operations, of the accelerators' 16-bit peak (%)"
                : label(name);
    }

    /** A label short enough for the head of a column. */
    static String heading(String name) {
        return switch (name) {
            case Plan.USD_TOTAL -> "Schedule (USD)";
            case Plan.USD_PER_MTOK -> "Million tokens (USD)";
            case Plan.TTFT -> "TTFT P99 (ms)";
            case Plan.TPOT -> "TPOT P99 (ms)";
            case Plan.STEP -> "Step (ms)";
            case Plan.TOKENS -> "Tokens/s";
            case Plan.POWER -> "Power (kW)";
            case Plan.CARBON -> "CO₂ (kg)";
            case Plan.NODES -> "Nodes";
            case Plan.UTILIZATION -> "Utilisation (%)";
            default -> label(name);
        };
    }

    static String label(String name) {
        return switch (name) {
            case Plan.USD_TOTAL -> "Cost of the schedule (USD)";
            case Plan.USD_PER_MTOK -> "Cost of a million tokens (USD)";
            case Plan.TTFT -> "Time to first token, P99, worst phase (ms)";
            case Plan.TPOT -> "Time per output token, P99, worst phase (ms)";
            case Plan.STEP -> "Time of a step (ms)";
            case Plan.TOKENS -> "Tokens per second, mean";
            case Plan.ENERGY -> "Energy (kWh)";
            case Plan.POWER -> "Mean power (kW)";
            case Plan.CARBON -> "Carbon dioxide (kg)";
            case Plan.NODES -> "Nodes, peak";
            case Plan.UTILIZATION -> "Utilisation of the nodes (%)";
            default -> name;
        };
    }

    static String value(String name, double value) {
        return switch (name) {
            case Plan.NODES, PhaseFigures.NODES -> Numbers.count(Math.round(value));
            case Plan.UTILIZATION -> Numbers.fixed(value, 0);
            case Plan.USD_TOTAL, Plan.ENERGY, Plan.CARBON, Plan.TOKENS -> rounded(value);
            default -> Numbers.significant(value, DIGITS);
        };
    }

    /** Three significant digits, zeros behind them. */
    private static String rounded(double value) {
        if (value < 100) {
            return Numbers.significant(value, DIGITS);
        }
        double unit = Math.pow(10, Math.floor(Math.log10(value)) - DIGITS + 1);
        return Numbers.count(Math.round(Math.round(value / unit) * unit));
    }

    static String usd(double value) {
        return rounded(value) + Numbers.SPACE + "USD";
    }

    /** Phases of the target asked about. */
    DataTable phases() {
        Plan plan = result.asked();
        DataTable table =
                new DataTable("Phases on " + plan.deployment().target().name()).columns("Phase", "#Hours");
        boolean served = result.entry().isServed();
        if (served) {
            table.number("Requests/s");
        }
        List<String> names = PhaseFigures.of(plan, 0).keySet().stream()
                .filter(name -> !name.equals(PhaseFigures.TTFT_P50) && !name.equals(PhaseFigures.TPOT_P50))
                .toList();
        names.forEach(name -> table.number(phaseHeading(name)));
        for (int i = 0; i < plan.phases().size(); i++) {
            Plan.Phase phase = plan.phases().get(i);
            int number = i;
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(phase.name()));
            cells.add(Cell.of(Numbers.plain(Math.round(100 * phase.minutes() / MINUTES_PER_HOUR) / 100.0)));
            if (served) {
                cells.add(Cell.of(Numbers.significant(phase.rate(), DIGITS)));
            }
            Map<String, Double> values = PhaseFigures.of(plan, i);
            names.forEach(name -> cells.add(figure(
                    name,
                    values.getOrDefault(name, 0.0),
                    plan.phaseRange(number, name),
                    PhaseFigures.evidence(phase, name),
                    RECORD)));
            table.row(cells);
        }
        return table;
    }

    private static String phaseHeading(String name) {
        return switch (name) {
            case PhaseFigures.NODES -> "Nodes";
            case PhaseFigures.USD -> "Cost (USD)";
            case PhaseFigures.ENERGY -> "Energy (kWh)";
            default -> heading(name);
        };
    }

    /** The copies that the entry names, as the event-by-event simulator of whole clusters saw them. */
    DataTable stated(StatedRun run) {
        DataTable table = new DataTable("The " + result.entry().parallelism().dp()
                        + " copies that the workload states, simulated as one cluster")
                .columns("Phase", "#Requests", "#TTFT P50 (ms)", "#TTFT P99 (ms)", "#TPOT P50 (ms)", "#TPOT P99 (ms)");
        for (StatedRun.Phase phase : run.phases()) {
            table.row(List.of(
                    Cell.of(phase.name()),
                    Cell.of(Numbers.count(phase.requests())),
                    latency(phase.p50TtftMs(), run),
                    latency(phase.p99TtftMs(), run),
                    latency(phase.p50TpotMs(), run),
                    latency(phase.p99TpotMs(), run)));
        }
        return table;
    }

    /** A latency as sure as those of the target asked about: all of them go with throughput. */
    private Cell latency(double ms, StatedRun run) {
        Plan asked = result.asked();
        Optional<Interval> range = Optional.ofNullable(asked.ranges().get(Plan.TTFT))
                .map(known -> new Interval(
                        ms * known.low() / asked.figure(Plan.TTFT), ms * known.high() / asked.figure(Plan.TTFT)));
        return figure(Plan.TTFT, ms, range, run.link(), RECORD);
    }

    /** How many candidates met which fate. */
    DataTable fates() {
        Map<Candidate.Fate, Integer> counts = new EnumMap<>(Candidate.Fate.class);
        result.candidates().forEach(candidate -> counts.merge(candidate.fate(), 1, Integer::sum));
        DataTable table = new DataTable("Search outcome").columns("Fate", "#Candidates");
        counts.forEach(
                (fate, count) -> table.row(Result.fates().getOrDefault(fate, fate.text()), Numbers.count(count)));
        return table;
    }

    /** Candidates that the report names, the winner among them. */
    List<Candidate> shown() {
        List<Candidate> shown = new ArrayList<>(Shown.front(result.candidates(), rows()));
        shown.addAll(Shown.losers(result.candidates(), rows()));
        result.winner().ifPresent(shown::add);
        return shown;
    }

    private int rows() {
        return settings.search().reportRows();
    }

    DataTable front() {
        long all = result.candidates().stream().filter(Candidate::isOnFront).count();
        List<Candidate> front = Shown.front(result.candidates(), rows());
        String caption = "On the front: no other is better in everything"
                + (front.size() < all
                        ? "; the " + front.size() + " cheapest of " + all + ", candidates.csv has all"
                        : "");
        return candidates(caption, front, false);
    }

    /** Losers near the front. */
    DataTable losers() {
        return candidates(
                "The cheapest that lost, and why; candidates.csv has all",
                Shown.losers(result.candidates(), rows()),
                true);
    }

    private DataTable candidates(String caption, List<Candidate> candidates, boolean reasons) {
        List<String> figures = Plan.NAMES.stream()
                .filter(name -> List.of(Plan.USD_PER_MTOK, Plan.TTFT, Plan.TPOT, Plan.STEP, Plan.POWER, Plan.NODES)
                        .contains(name))
                .filter(name -> result.candidates().stream()
                        .anyMatch(candidate -> candidate.plan().has(name)))
                .toList();
        DataTable table = new DataTable(caption).text("Candidate");
        figures.forEach(name -> table.number(heading(name), label(name)));
        if (reasons) {
            table.text("Why it lost");
        }
        for (Candidate candidate : candidates) {
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(candidate.number() + ": " + describe(candidate.plan())));
            figures.forEach(name -> cells.add(cell(candidate.plan(), name, "candidates.csv")));
            if (reasons) {
                cells.add(Cell.of(candidate.reason()));
            }
            table.row(cells);
        }
        return table;
    }
}
