package dev.stagesim.stage.fabric;

import dev.stagesim.report.Markup;
import dev.stagesim.report.Page;
import dev.stagesim.report.chart.SvgChart;
import dev.stagesim.stats.Interval;
import java.util.List;

/** A run as one HTML page, for a person who decides budgets: the answer first, then what it rests on. */
final class FabricPage {
    private final FabricStageSettings settings;
    private final Result result;
    private final Wording wording;

    FabricPage(FabricStageSettings settings, Result result, Wording wording) {
        this.settings = settings;
        this.result = result;
        this.wording = wording;
    }

    String html() {
        Page page = new Page(wording.title(), banner());
        page.section("targets", "Targets side by side", targets());
        if (result.asked().refusal().isEmpty()) {
            page.section("schedule", "Schedule", schedule());
        }
        if (!result.candidates().isEmpty()) {
            page.section("search", "Search", search());
        }
        result.fit()
                .ifPresent(fit ->
                        page.section("calibration", "Calibration", fit.table().html()));
        page.section("basis", "What the figures rest on", basis());
        return page.footer("Stagesim · fabric · every figure links to the run or file it comes from")
                .html();
    }

    private Markup banner() {
        Markup out = new Markup().leaf("p", wording.lead(), "class", "lead");
        wording.verdicts().forEach(sentence -> out.leaf("p", sentence));
        Plan asked = result.asked();
        if (asked.refusal().isPresent()) {
            return out;
        }
        out.open("ul", "class", "cards");
        for (String name : List.of(Plan.USD_TOTAL, Plan.USD_PER_MTOK, Plan.TTFT, Plan.TPOT, Plan.STEP, Plan.NODES)) {
            card(out, asked, name);
        }
        card(out, asked, Plan.ENERGY);
        card(out, asked, Plan.CARBON);
        return out.close().line();
    }

    private static void card(Markup out, Plan plan, String name) {
        if (!plan.has(name)) {
            return;
        }
        out.open("li", "class", "card");
        out.leaf("div", Wording.label(name), "class", "name");
        String link = Evidence.of(plan, name);
        out.open("div", "class", "big")
                .leaf("a", Wording.value(name, plan.figure(name)), "href", link.isEmpty() ? "fabric.json" : link)
                .close();
        Interval range = plan.ranges().get(name);
        if (range != null && range.high() > range.low()) {
            out.leaf("div", Wording.between(name, range), "class", "faint");
        }
        out.close().line();
    }

    private Markup targets() {
        Markup out = new Markup();
        out.leaf("p", wording.compared() + " " + wording.terms(), "class", "faint");
        out.add(wording.sideBySide().html());
        out.open("div", "class", "figures");
        out.add(SvgChart.figure(
                FabricCharts.bars("cost", "Cost of a million tokens", "USD", result.plans(), Plan.USD_PER_MTOK)));
        if (result.asked().has(Plan.TTFT)) {
            out.add(SvgChart.figure(FabricCharts.latency(result.plans())));
        } else {
            out.add(SvgChart.figure(FabricCharts.bars("step", "Time of a step", "ms", result.plans(), Plan.STEP)));
        }
        out.add(SvgChart.figure(FabricCharts.bars(
                "utilisation",
                result.entry().isServed() ? "Utilisation of the nodes" : "Operations of the model, of the peak",
                "%",
                result.plans(),
                Plan.UTILIZATION)));
        return out.close().line();
    }

    private Markup schedule() {
        Markup out = new Markup();
        out.add(wording.phases().html());
        out.open("div", "class", "figures");
        out.add(SvgChart.figure(FabricCharts.schedule(result.asked())));
        if (result.entry().isServed()) {
            out.add(SvgChart.figure(FabricCharts.load(result.asked())));
        }
        out.close().line();
        result.stated().ifPresent(run -> out.add(wording.stated(run).html()));
        return out;
    }

    private Markup search() {
        Markup out = new Markup();
        out.open("div", "class", "figures");
        boolean served = result.entry().isServed();
        if (result.candidates().stream().anyMatch(candidate -> candidate.plan().has(Plan.USD_PER_MTOK))) {
            String first = served ? Plan.TTFT : Plan.STEP;
            String second = served ? Plan.TPOT : Plan.POWER;
            out.add(SvgChart.figure(FabricCharts.front(result.candidates(), first)));
            out.add(SvgChart.figure(FabricCharts.front(result.candidates(), second)));
        }
        out.close().line();
        out.add(wording.fates().html()).add(wording.front().html());
        if (settings.optimize() && result.winner().isPresent()) {
            out.open("p").text("To run the winner, with RUN for this directory: ");
            out.leaf("code", wording.command()).close();
        }
        return out.add(wording.losers().html());
    }

    private Markup basis() {
        Markup out = new Markup().open("ul");
        result.assumptions().forEach(sentence -> out.leaf("li", sentence));
        out.close().line();
        out.open("p").text("Tables: ");
        for (String name : List.of("targets.csv", "phases.csv")) {
            out.leaf("a", name, "href", name).text(" ");
        }
        if (!result.candidates().isEmpty()) {
            out.leaf("a", "candidates.csv", "href", "candidates.csv").text(" ");
        }
        out.leaf("a", "fabric.json", "href", "fabric.json");
        return out.close().line();
    }
}
