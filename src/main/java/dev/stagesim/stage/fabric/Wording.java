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
    private static final double HOURS_PER_DAY = 24;
    private static final double MINUTES_PER_HOUR = 60;

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
        double hours = asked.totals().hours();
        String span = hours == HOURS_PER_DAY
                ? "a day"
                : Numbers.plain(Math.round(10 * hours / HOURS_PER_DAY) / 10.0) + " days";
        return result.entry().name() + " takes " + nodes(asked) + " of "
                + asked.deployment().target().name() + " and " + usd(asked.figure(Plan.USD_TOTAL)) + " for " + span
                + ", " + usd(asked.figure(Plan.USD_PER_MTOK)) + " for a million "
                + (result.entry().isServed() ? "output tokens" : "tokens") + ".";
    }

    private static String nodes(Plan plan) {
        int least = plan.totals().phases().stream()
                .mapToInt(ScheduleCost.Phase::nodes)
                .min()
                .orElse(0);
        int most = plan.totals().mostNodes();
        String count = least == most ? Integer.toString(most) : least + " to " + most;
        return count + (most == 1 ? " node" : " nodes");
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
        boolean limited = settings.slo().p99TtftMs().isPresent()
                || settings.slo().p99TpotMs().isPresent()
                || settings.slo().stepMs().isPresent()
                || settings.slo().usdPerMtok().isPresent()
                || settings.slo().powerKw().isPresent();
        if ((limited || !broken.isEmpty()) && result.asked().refusal().isEmpty()) {
            all.add(
                    broken.isEmpty()
                            ? "It holds every limit that was set."
                            : "It breaks " + String.join("; ", broken) + ".");
        }
        scaling().ifPresent(all::add);
        cheapest()
                .ifPresent(plan -> all.add(
                        plan.equals(result.asked())
                                ? "None of the targets compared is cheaper" + (limited ? " and holds the limits." : ".")
                                : "The cheapest target compared" + (limited ? " that holds the limits" : "") + " is "
                                        + plan.deployment().target().name() + ": "
                                        + usd(plan.figure(Plan.USD_PER_MTOK)) + " for a million tokens."));
        if (settings.optimize()) {
            all.add(optimum());
        }
        return all;
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

    private String optimum() {
        String tried = Numbers.count(result.candidates().size()) + " candidates";
        if (result.winner().isEmpty()) {
            return "None of " + tried + " holds the limits.";
        }
        Plan plan = result.winner().get().plan();
        long front = result.candidates().stream().filter(Candidate::isOnFront).count();
        return "Of " + tried + " the cheapest that holds the limits is " + describe(plan) + ": "
                + usd(plan.figure(Plan.USD_PER_MTOK)) + " for a million tokens; " + front
                + (front == 1 ? " is" : " are") + " on the front.";
    }

    String describe(Plan plan) {
        return plan.deployment().target().name() + ", " + setting(plan)
                + (plan.detail() > 0
                        ? ", " + Numbers.plain(plan.load()) + " nodes"
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
        DataTable table =
                new DataTable("Every target over the whole schedule; under each figure its range").text("Target");
        List<String> names = Plan.NAMES.stream()
                .filter(name -> !name.equals(Plan.ENERGY))
                .filter(name -> !name.equals(Plan.TOKENS) || !result.entry().isServed())
                .filter(name -> result.plans().stream().anyMatch(plan -> plan.has(name)))
                .toList();
        names.forEach(name -> table.number(heading(name), label(name)));
        table.text("Limits");
        for (int i = 0; i < result.plans().size(); i++) {
            Plan plan = result.plans().get(i);
            List<Cell> cells = new ArrayList<>();
            Cell name = Cell.of(plan.deployment().target().name());
            cells.add(result.best() ? name.note(setting(plan)) : name);
            names.forEach(figure -> cells.add(cell(plan, figure)));
            cells.add(verdict(plan, result.broken().get(i)));
            table.row(cells);
        }
        return table;
    }

    private static Cell verdict(Plan plan, List<String> broken) {
        if (plan.refusal().isPresent()) {
            return Cell.of("cannot run").tone("bad").hint(plan.refusal().get());
        }
        return broken.isEmpty()
                ? Cell.of("held").tone("good")
                : Cell.of("broken").tone("bad").hint(String.join("; ", broken));
    }

    private Cell cell(Plan plan, String name) {
        if (!plan.has(name)) {
            return Cell.of(Numbers.NONE).tone("faint");
        }
        String link = Evidence.of(plan, name);
        Cell cell = Cell.of(value(name, plan.figure(name))).link(link.isEmpty() ? "fabric.json" : link);
        Interval range = plan.ranges().get(name);
        if (range == null || value(name, range.low()).equals(value(name, range.high()))) {
            return cell;
        }
        return cell.note(value(name, range.low()) + " to " + value(name, range.high()));
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
            case Plan.NODES -> "Nodes, most at a time";
            case Plan.UTILIZATION -> "Utilisation of the nodes (%)";
            default -> name;
        };
    }

    static String value(String name, double value) {
        return switch (name) {
            case Plan.NODES -> Numbers.count(Math.round(value));
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
        DataTable table = new DataTable(
                        "Phases on " + plan.deployment().target().name())
                .text("Phase")
                .number("Hours");
        boolean served = result.entry().isServed();
        if (served) {
            table.number("Requests/s");
        }
        table.number("Nodes")
                .number("Utilisation (%)")
                .number("Cost (USD)")
                .number("Energy (kWh)")
                .number("CO₂ (kg)");
        if (served) {
            table.number("TTFT P50 (ms)").number("TTFT P99 (ms)").number("TPOT P99 (ms)");
        }
        for (int i = 0; i < plan.phases().size(); i++) {
            Plan.Phase phase = plan.phases().get(i);
            ScheduleCost.Phase cost = plan.totals().phases().get(i);
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(phase.name()));
            cells.add(Cell.of(Numbers.plain(Math.round(100 * phase.minutes() / MINUTES_PER_HOUR) / 100.0)));
            if (served) {
                cells.add(Cell.of(Numbers.significant(phase.rate(), DIGITS)));
            }
            cells.add(linked(Numbers.count(cost.nodes()), phase.capacityRun()));
            cells.add(linked(Numbers.fixed(100 * cost.utilization(), 0), phase.capacityRun()));
            cells.add(linked(rounded(cost.usd()), phase.capacityRun()));
            cells.add(linked(rounded(cost.kwh()), phase.capacityRun()));
            cells.add(linked(rounded(cost.kg()), phase.capacityRun()));
            if (served) {
                cells.add(linked(Numbers.significant(phase.p50TtftMs(), DIGITS), phase.serviceRun()));
                cells.add(linked(Numbers.significant(phase.p99TtftMs(), DIGITS), phase.serviceRun()));
                cells.add(linked(Numbers.significant(phase.p99TpotMs(), DIGITS), phase.serviceRun()));
            }
            table.row(cells);
        }
        return table;
    }

    private static Cell linked(String text, String link) {
        return linked(text, link, "fabric.json");
    }

    /** A figure with a link to what it rests on, or to {@code otherwise} where that is a formula. */
    private static Cell linked(String text, String link, String otherwise) {
        return Cell.of(text).link(link.isEmpty() ? otherwise : link);
    }

    /** The copies that the entry names, as the event-by-event simulator of whole clusters saw them. */
    DataTable stated(StatedRun run) {
        DataTable table = new DataTable("The " + result.entry().parallelism().dp()
                        + " copies that the workload states, simulated as one cluster")
                .text("Phase")
                .number("Requests")
                .number("TTFT P50 (ms)")
                .number("TTFT P99 (ms)")
                .number("TPOT P50 (ms)")
                .number("TPOT P99 (ms)");
        for (StatedRun.Phase phase : run.phases()) {
            table.row(List.of(
                    Cell.of(phase.name()),
                    Cell.of(Numbers.count(phase.requests())),
                    Cell.of(Numbers.significant(phase.p50TtftMs(), DIGITS)).link(run.link()),
                    Cell.of(Numbers.significant(phase.p99TtftMs(), DIGITS)).link(run.link()),
                    Cell.of(Numbers.significant(phase.p50TpotMs(), DIGITS)).link(run.link()),
                    Cell.of(Numbers.significant(phase.p99TpotMs(), DIGITS)).link(run.link())));
        }
        return table;
    }

    /** How many candidates met which fate. */
    DataTable fates() {
        Map<Candidate.Fate, Integer> counts = new EnumMap<>(Candidate.Fate.class);
        result.candidates().forEach(candidate -> counts.merge(candidate.fate(), 1, Integer::sum));
        DataTable table =
                new DataTable("What became of the candidates").text("Fate").number("Candidates");
        counts.forEach(
                (fate, count) -> table.row(Result.fates().getOrDefault(fate, fate.text()), Numbers.count(count)));
        return table;
    }

    /** Candidates that the report names, the winner among them. */
    List<Candidate> shown() {
        List<Candidate> shown = new ArrayList<>(onFront());
        shown.addAll(cheapestLosers());
        result.winner().ifPresent(shown::add);
        return shown;
    }

    DataTable front() {
        long all = result.candidates().stream().filter(Candidate::isOnFront).count();
        List<Candidate> front = onFront();
        String caption = "On the front: no other is better in everything"
                + (front.size() < all
                        ? "; the " + front.size() + " cheapest of " + all + ", candidates.csv has all"
                        : "");
        return candidates(caption, front, false);
    }

    private List<Candidate> onFront() {
        return result.candidates().stream()
                .filter(Candidate::isOnFront)
                .sorted(Comparator.comparingDouble(candidate -> candidate.plan().figure(Plan.USD_PER_MTOK)))
                .limit(settings.search().reportRows())
                .toList();
    }

    /** Losers near the front: the cheapest, which a person would ask about first. */
    DataTable losers() {
        return candidates("The cheapest that lost, and why; candidates.csv has all", cheapestLosers(), true);
    }

    private List<Candidate> cheapestLosers() {
        return result.candidates().stream()
                .filter(candidate -> !candidate.isOnFront())
                .sorted(Comparator.comparingDouble(
                                (Candidate candidate) -> candidate.plan().has(Plan.USD_PER_MTOK)
                                        ? candidate.plan().figure(Plan.USD_PER_MTOK)
                                        : Double.MAX_VALUE)
                        .thenComparingInt(Candidate::number))
                .limit(settings.search().reportRows())
                .toList();
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
            figures.forEach(name -> cells.add(
                    candidate.plan().has(name)
                            ? linked(
                                    value(name, candidate.plan().figure(name)),
                                    Evidence.of(candidate.plan(), name),
                                    "candidates.csv")
                            : Cell.of(Numbers.NONE)));
            if (reasons) {
                cells.add(Cell.of(candidate.reason()));
            }
            table.row(cells);
        }
        return table;
    }
}
