package dev.stagesim.stage.fabric;

import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
import dev.stagesim.stats.Interval;
import java.util.List;

/** A run for a person who decides budgets: the answer first, then what it rests on. */
final class FabricReport {
    private static final List<String> CARDS = List.of(
            Plan.USD_TOTAL, Plan.USD_PER_MTOK, Plan.TTFT, Plan.TPOT, Plan.STEP, Plan.NODES, Plan.ENERGY, Plan.CARBON);

    private final FabricStageSettings settings;
    private final Result result;
    private final Wording wording;
    private final TargetTables tables;
    private final Report report;

    FabricReport(FabricStageSettings settings, Result result) {
        this.settings = settings;
        this.result = result;
        this.wording = new Wording(settings, result);
        this.tables = new TargetTables(settings, result);
        this.report = new Report(wording.title());
    }

    Report report() {
        boolean refused = result.asked().refusal().isPresent();
        if (settings.optimize()) {
            report.answer(result.winner().isPresent() ? Tone.GOOD : Tone.BAD, wording.optimum())
                    .prose(wording.lead());
        } else {
            report.answer(refused ? Tone.BAD : Tone.PLAIN, wording.lead());
        }
        wording.verdicts().forEach(report::prose);
        result.winner().filter(winner -> settings.optimize()).ifPresent(winner -> List.of(Plan.USD_PER_MTOK, Plan.NODES)
                .forEach(name -> card("Winner: ", winner.plan(), name)));
        if (!refused) {
            CARDS.stream().filter(result.asked()::has).forEach(name -> card("", result.asked(), name));
        }
        targets();
        if (!refused) {
            report.section("schedule", "Schedule").table(tables.phases());
            report.charts(FabricCharts.schedule(result.asked()));
            if (result.entry().isServed()) {
                report.charts(FabricCharts.load(result.asked()));
            }
        }
        result.stated().ifPresent(run -> report.table(tables.stated(run)));
        if (!result.candidates().isEmpty()) {
            search();
        }
        result.fit()
                .ifPresent(fit -> report.section("calibration", "Calibration").table(fit.table()));
        report.section("basis", "What the figures rest on").items(result.assumptions());
        report.links(
                "Tables:",
                result.candidates().isEmpty()
                        ? List.of("targets.csv", "phases.csv", "fabric.json")
                        : List.of("targets.csv", "phases.csv", "candidates.csv", "fabric.json"));
        return report.footer("Stagesim · fabric · every figure links to the run or file it comes from");
    }

    private void card(String of, Plan plan, String name) {
        String link = Evidence.of(plan, name);
        Interval range = plan.ranges().get(name);
        report.card(
                of + FigureText.label(name),
                FigureText.value(name, plan.figure(name)),
                range == null ? "" : FigureText.between(name, range),
                link.isEmpty() ? "fabric.json" : link);
    }

    private void targets() {
        boolean served = result.entry().isServed();
        report.section("targets", "Targets side by side")
                .faint(wording.compared() + " " + wording.terms())
                .table(tables.sideBySide())
                .charts(FabricCharts.bars(
                        "cost", "Cost of a million tokens", "USD", result.plans(), Plan.USD_PER_MTOK));
        report.charts(
                result.asked().has(Plan.TTFT)
                        ? FabricCharts.latency(result.plans())
                        : FabricCharts.bars("step", "Time of a step", "ms", result.plans(), Plan.STEP));
        report.charts(FabricCharts.bars(
                "utilisation",
                served ? "Utilisation of the nodes" : "Operations of the model, of the peak",
                "%",
                result.plans(),
                Plan.UTILIZATION));
    }

    private void search() {
        SearchTables tried = new SearchTables(settings, result);
        boolean served = result.entry().isServed();
        report.section("search", "Search");
        if (result.candidates().stream().anyMatch(candidate -> candidate.plan().has(Plan.USD_PER_MTOK))) {
            report.charts(FabricCharts.front(result.candidates(), served ? Plan.TTFT : Plan.STEP));
            report.charts(FabricCharts.front(result.candidates(), served ? Plan.TPOT : Plan.POWER));
        }
        report.table(tried.fates()).table(tried.front());
        if (settings.optimize() && result.winner().isPresent()) {
            report.prose("To run the winner, with RUN for this directory:").command(wording.command());
        }
        report.table(tried.losers());
    }
}
