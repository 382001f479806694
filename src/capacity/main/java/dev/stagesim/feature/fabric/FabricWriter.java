package dev.stagesim.feature.fabric;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.feature.fabric.performance.CoefficientFit;
import dev.stagesim.feature.fabric.performance.Evaluations;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.fabric.FabricDocument;
import dev.stagesim.io.fabric.FabricTables;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stats.Interval;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Writes the tables, documents, kept configuration and report of a run. */
record FabricWriter(FabricStageSettings settings, StageContext context, FabricResult result, Evaluations evaluations) {
    private static final double MINUTES_PER_MONTH = 365.25 / 12 * 24 * 60;

    void write() throws IOException {
        targets();
        phases();
        if (!result.candidates().isEmpty()) {
            CandidateTable.write(context.out(), result.candidates());
        }
        writeEvaluations();
        if (result.winner().isPresent() && settings.optimizer().optimize()) {
            WinnerConfig.keep(settings, result, context);
        }
        Json.writeDocument(context.out(), document());
        RunConditions conditions = context.conditions(FabricConditions.of(settings, result));
        Json.writeDocument(context.out(), conditions);
        conditions.extrapolated().forEach(input -> context.warn("extrapolated: " + input));
        new FabricReport(settings, result).report(conditions).write(context.out());
        ReportText text = new ReportText(settings, result);
        context.notice(settings.optimizer().optimize() ? text.searchSummary() : text.summary());
        headlines();
    }

    private void headlines() {
        FabricPlan requested = result.requested();
        requested.metrics().keySet().stream()
                .sorted(java.util.Comparator.comparingInt(FabricPlan.NAMES::indexOf))
                .forEach(name -> context.headline(name, requested.metric(name)));
        if (!result.candidates().isEmpty()) {
            context.headline("candidates", result.candidates().size());
            context.headline(
                    "front",
                    result.candidates().stream()
                            .filter(FabricCandidate::isOnFront)
                            .count());
        }
        requested.refusal().ifPresent(why -> context.warn("the requested target cannot run this workload: " + why));
        if (!result.violations().get(0).isEmpty()) {
            context.warn("the requested target violates "
                    + String.join("; ", result.violations().get(0)));
        }
        if (settings.optimizer().optimize() && result.winner().isPresent()) {
            FabricPlan winner = result.winner().get().plan();
            context.headline("winner_usd_per_mtok", winner.metric(FabricPlan.USD_PER_MTOK));
            context.headline("winner_nodes", winner.metric(FabricPlan.NODES));
            double minutes = winner.phases().stream()
                    .mapToDouble(FabricPlan.Phase::minutes)
                    .sum();
            if (winner.has(FabricPlan.USD_TOTAL) && minutes > 0) {
                context.headline(
                        "winner_usd_per_month", winner.metric(FabricPlan.USD_TOTAL) / minutes * MINUTES_PER_MONTH);
            }
        }
        if (settings.optimizer().optimize() && result.winner().isEmpty()) {
            context.checkFailed(
                    Problem.of("check failed", "slo", "no candidate meets it; candidates.csv has the reasons"));
        }
        if (evaluations.reused() > 0) {
            context.notice(evaluations.reused() + " of " + evaluations.size()
                    + " simulations were reused from an earlier search");
        }
    }

    private void targets() throws IOException {
        try (TableWriter table = TableWriter.in(context.out(), FabricTables.TARGETS)) {
            for (FabricPlan plan : result.plans()) {
                for (String name : FabricPlan.NAMES) {
                    if (plan.has(name)) {
                        table.put(plan.deployment().id()).put(name).put(plan.metric(name));
                        range(table, Optional.ofNullable(plan.ranges().get(name)));
                        table.put(Provenance.of(plan, name)).endRow();
                    }
                }
            }
        }
    }

    private void phases() throws IOException {
        try (TableWriter table = TableWriter.in(context.out(), FabricTables.PHASES)) {
            for (FabricPlan plan : result.plans()) {
                for (int i = 0; i < plan.phases().size(); i++) {
                    phase(table, plan, i);
                }
            }
        }
    }

    private static void phase(TableWriter table, FabricPlan plan, int number) throws IOException {
        FabricPlan.Phase phase = plan.phases().get(number);
        for (Map.Entry<String, Double> metric : PhaseMetrics.of(plan, number).entrySet()) {
            table.put(plan.deployment().id())
                    .put(phase.name())
                    .put(phase.minutes())
                    .put(phase.rate());
            table.put(metric.getKey()).put(metric.getValue());
            range(table, plan.phaseRange(number, metric.getKey()));
            table.put(PhaseMetrics.evidence(phase, metric.getKey())).endRow();
        }
    }

    private static void range(TableWriter table, Optional<Interval> range) throws IOException {
        table.putFinite(range.map(Interval::low).orElse(Double.NaN));
        table.putFinite(range.map(Interval::high).orElse(Double.NaN));
    }

    /** Writes all evaluations as a table. Evaluations that the report links to also get a file with their question. */
    private void writeEvaluations() throws IOException {
        if (evaluations.size() == 0) {
            return;
        }
        Set<String> linked = new TreeSet<>();
        result.plans().forEach(plan -> Provenance.links(plan).forEach(linked::add));
        new CandidateReport(settings, result).reported().forEach(candidate -> Provenance.links(candidate.plan())
                .forEach(linked::add));
        Path folder = Files.createDirectories(context.out().resolve("evaluations"));
        try (TableWriter table = TableWriter.in(context.out(), FabricTables.EVALUATIONS)) {
            for (Map.Entry<String, Evaluations.Evaluation> evaluation :
                    evaluations.all().entrySet()) {
                String id = Evaluations.shortId(evaluation.getKey());
                JsonValue.Obj question = evaluation.getValue().question();
                JsonValue.Obj answer = evaluation.getValue().answer();
                EvaluationRow.write(table, id, new LocatedJson(id, "", question), new LocatedJson(id, "", answer));
                if (linked.contains("evaluations/" + id + ".json")) {
                    Json.write(
                            folder.resolve(id + ".json"),
                            JsonValue.object()
                                    .put("question", question)
                                    .put("answer", answer)
                                    .build());
                }
            }
        }
    }

    private FabricDocument document() {
        FabricPlan requested = result.requested();
        List<FabricDocument.Figure> metrics = new ArrayList<>();
        for (String name : FabricPlan.NAMES) {
            if (requested.has(name)) {
                double value = requested.metric(name);
                Interval range = requested.ranges().getOrDefault(name, new Interval(value, value));
                metrics.add(new FabricDocument.Figure(name, value, range.low(), range.high()));
            }
        }
        List<String> evidence = new ArrayList<>(Provenance.links(requested));
        result.stated().ifPresent(run -> evidence.add(run.runId()));
        return new FabricDocument(
                result.entry().name(),
                requested.deployment().target().name(),
                KeyNames.constant(settings.machines().source()),
                result.best() ? "best" : "parity",
                metrics,
                settings.operation().uncertainty().level(),
                evidence,
                result.winner()
                        .filter(winner -> settings.optimizer().optimize())
                        .map(FabricWriter::chosen),
                result.fit().map(CoefficientFit::document),
                result.assumptions());
    }

    private static FabricDocument.Chosen chosen(FabricCandidate winner) {
        FabricPlan plan = winner.plan();
        return new FabricDocument.Chosen(
                winner.number(),
                plan.deployment().id(),
                plan.deployment().tp(),
                plan.deployment().pp(),
                CandidateTable.policy(plan),
                plan.load(),
                plan.metrics());
    }

    /** Writes a row of evaluations.csv. */
    private static final class EvaluationRow {
        private static final List<String> SERVICE = List.of("p50_ttft_ms", "p99_ttft_ms", "p50_tpot_ms", "p99_tpot_ms");

        private EvaluationRow() {}

        static void write(TableWriter table, String id, LocatedJson question, LocatedJson answer) throws IOException {
            boolean step = question.get("kind").asString().equals("step");
            LocatedJson spec = question.get("spec");
            table.put(id).put(question.get("kind").asString());
            table.put(
                    step
                            ? question.get("device").asString()
                            : spec.get("hardware").get("name").asString());
            LocatedJson parallel = step ? spec : spec.get("cluster");
            table.put(parallel.get(step ? "tp" : "tensorParallelSize").asLong())
                    .put(parallel.get(step ? "pp" : "numPipelineStages").asLong());
            if (step) {
                table.put(spec.get("dp").asLong());
                long sequences = spec.get("microBatches").asLong()
                        * spec.get("sequences").asLong();
                table.put("microbatch " + sequences);
                table.put(spec.get("tokens").asLong()).put(0L).putEmpty().putEmpty();
                for (int i = 0; i < SERVICE.size(); i++) {
                    table.putEmpty();
                }
                table.put(answer.get("step_ns").asLong() / NS_PER_MS).endRow();
                return;
            }
            table.put(1L).put(question.get("policy").asString());
            table.put(question.get("prompt").asLong())
                    .put(question.get("generate").asLong());
            table.putFinite(question.find("rate").map(LocatedJson::asDouble).orElse(Double.NaN));
            table.put(answer.get("requests_per_second").asDouble());
            for (String name : SERVICE) {
                table.put(answer.get(name).asDouble());
            }
            table.putEmpty().endRow();
        }
    }

    /** Report of a run, with the main result first. */
    private static final class FabricReport {
        private static final List<String> CARDS = List.of(
                FabricPlan.USD_TOTAL,
                FabricPlan.USD_PER_MTOK,
                FabricPlan.TTFT,
                FabricPlan.TPOT,
                FabricPlan.STEP,
                FabricPlan.NODES,
                FabricPlan.ENERGY,
                FabricPlan.CARBON);

        private final FabricStageSettings settings;
        private final FabricResult result;
        private final ReportText text;
        private final TargetTables tables;
        private final Report report;

        FabricReport(FabricStageSettings settings, FabricResult result) {
            this.settings = settings;
            this.result = result;
            this.text = new ReportText(settings, result);
            this.tables = new TargetTables(settings, result);
            this.report = new Report(text.title());
        }

        Report report(RunConditions conditions) {
            boolean refused = result.requested().refusal().isPresent();
            if (settings.optimizer().optimize()) {
                report.answer(result.winner().isPresent() ? Tone.GOOD : Tone.BAD, text.searchSummary())
                        .prose(text.summary());
            } else {
                report.answer(refused ? Tone.BAD : Tone.PLAIN, text.summary());
            }
            text.remarks().forEach(report::prose);
            report.conditions(conditions);
            result.winner().filter(winner -> settings.optimizer().optimize()).ifPresent(winner -> List.of(
                            FabricPlan.USD_PER_MTOK, FabricPlan.NODES)
                    .forEach(name -> card("Winner: ", winner.plan(), name)));
            if (!refused) {
                CARDS.stream().filter(result.requested()::has).forEach(name -> card("", result.requested(), name));
            }
            targets();
            if (!refused) {
                report.section("schedule", "Schedule").table(tables.phases());
                report.charts(FabricCharts.schedule(result.requested()));
                if (result.entry().isServed()) {
                    report.charts(FabricCharts.load(result.requested()));
                }
            }
            result.stated().ifPresent(run -> report.table(tables.stated(run)));
            if (!result.candidates().isEmpty()) {
                search();
            }
            result.fit().ifPresent(fit -> report.section("calibration", "Calibration")
                    .table(fit.table()));
            report.section("basis", "Assumptions").items(result.assumptions());
            report.links(
                    "Tables:",
                    result.candidates().isEmpty()
                            ? List.of("targets.csv", "phases.csv", "fabric.json")
                            : List.of("targets.csv", "phases.csv", "candidates.csv", "fabric.json"));
            return report.footer("Stagesim · fabric · metrics link to their source run or file");
        }

        private void card(String of, FabricPlan plan, String name) {
            String link = Provenance.of(plan, name);
            Interval range = plan.ranges().get(name);
            report.card(
                    of + MetricText.label(name),
                    MetricText.value(name, plan.metric(name)),
                    range == null ? "" : MetricText.between(name, range),
                    link.isEmpty() ? "fabric.json" : link);
        }

        private void targets() {
            boolean served = result.entry().isServed();
            report.section("targets", "Targets side by side")
                    .faint(text.compared() + " " + text.abbreviations())
                    .table(tables.sideBySide())
                    .charts(FabricCharts.bars(
                            "cost", "Cost per million tokens", "USD", result.plans(), FabricPlan.USD_PER_MTOK));
            report.charts(
                    result.requested().has(FabricPlan.TTFT)
                            ? FabricCharts.latency(result.plans())
                            : FabricCharts.bars("step", "Step time", "ms", result.plans(), FabricPlan.STEP));
            report.charts(FabricCharts.bars(
                    "utilisation",
                    served ? "Utilisation of the nodes" : "Share of peak operations",
                    "%",
                    result.plans(),
                    FabricPlan.UTILIZATION));
        }

        private void search() {
            CandidateReport candidates = new CandidateReport(settings, result);
            boolean served = result.entry().isServed();
            report.section("search", "Search");
            if (result.candidates().stream()
                    .anyMatch(candidate -> candidate.plan().has(FabricPlan.USD_PER_MTOK))) {
                report.charts(FabricCharts.front(result.candidates(), served ? FabricPlan.TTFT : FabricPlan.STEP));
                report.charts(FabricCharts.front(result.candidates(), served ? FabricPlan.TPOT : FabricPlan.POWER));
            }
            report.table(candidates.outcomes()).table(candidates.front());
            if (settings.optimizer().optimize() && result.winner().isPresent()) {
                report.prose("To run the winner, with RUN for this directory:").command(text.command());
            }
            report.table(candidates.rejected());
        }
    }
}
