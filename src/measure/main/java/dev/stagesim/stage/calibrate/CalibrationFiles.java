package dev.stagesim.stage.calibrate;

import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.measure.CalibrateSettings.Term;
import dev.stagesim.model.KeyNames;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Charts;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.TimeScale;
import dev.stagesim.serving.CalibrationDocument;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.calibrate.CalibrationData.Times;
import dev.stagesim.stage.calibrate.Fitting.FitResult;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Writes the results of a calibration. */
record CalibrationFiles(
        CalibrateStageSettings settings,
        StageContext context,
        Evidence evidence,
        FitResult found,
        List<Simulation> before,
        List<Simulation> after,
        List<CalibrationErrors> errors,
        List<String> findings) {
    CalibrationFiles {
        errors = List.copyOf(errors);
        findings = List.copyOf(findings);
    }

    void write() throws IOException {
        coefficients();
        requests();
        Json.writeDocument(context.out(), document());
        new CalibrationReport(settings, evidence, found, errors, findings)
                .report()
                .write(context.out());
        for (CalibrationErrors e : errors) {
            if (!e.part().equals("fit")) {
                String name = e.part() + "_" + e.metric() + "_p50_error";
                context.headline(name + "_before_percent", e.median(e.before()));
                context.headline(name + "_percent", e.median(e.after()));
            }
        }
        for (Term term : found.fitted()) {
            String unit = Coefficients.isFactor(term) ? "_factor" : "_ms";
            context.headline(name(term) + unit, shown(term));
        }
    }

    static String name(Term term) {
        return KeyNames.constant(term);
    }

    private double shown(Term term) {
        return Coefficients.shown(term, found.coefficients().of(term));
    }

    private static String unit(Term term) {
        return Coefficients.isFactor(term) ? "" : "ms";
    }

    private double end(Term term, boolean high) {
        if (!found.fitted().contains(term)) {
            return shown(term);
        }
        Interval interval = found.intervals()[term.ordinal()];
        return Coefficients.shown(term, high ? interval.high() : interval.low());
    }

    private void coefficients() throws IOException {
        TableWriter.write(context.out(), CalibrationTables.COEFFICIENTS, List.of(Term.values()), (rows, term) -> {
            rows.put(name(term)).put(unit(term)).put(found.fitted().contains(term));
            rows.put(shown(term)).put(end(term, false)).put(end(term, true));
        });
    }

    private void requests() throws IOException {
        try (TableWriter rows = TableWriter.in(context.out(), CalibrationTables.REQUESTS)) {
            for (int run = 0; run < evidence.runs().size(); run++) {
                for (Times t : evidence.runs().get(run).times()) {
                    request(rows, evidence.runs().get(run), t, before.get(run), after.get(run));
                }
            }
        }
    }

    private static void request(
            TableWriter rows, CalibrationData run, Times t, Simulation original, Simulation calibrated)
            throws IOException {
        int r = t.request();
        rows.put(run.runId()).put((long) run.input().id(r)).put(t.heldOut() ? "held_out" : "fit");
        rows.put(t.ttft()).put(original.ttftNs(r)).put(calibrated.ttftNs(r));
        if (t.tokens() > 1) {
            rows.put(t.tpot()).put(original.tpotNs(r, t.tokens())).put(calibrated.tpotNs(r, t.tokens()));
        } else {
            rows.putEmpty().putEmpty().putEmpty();
        }
        rows.put(t.e2e()).put(original.e2eNs(r)).put(calibrated.e2eNs(r)).endRow();
    }

    private CalibrationDocument document() {
        return new CalibrationDocument(
                settings.model().name(),
                settings.hardware().name(),
                ReplicaModel.name(settings.serving().scheduler()),
                context.input("real").runId(),
                evidence.runs().stream().map(CalibrationData::runId).toList(),
                context.input("profiling").runId(),
                evidence.requests(false),
                evidence.requests(true),
                evidence.leftAside(),
                evidence.steps().steps(false),
                evidence.steps().steps(true),
                found.rounds(),
                found.settled(),
                new CalibrationDocument.Sizes(
                        Math.max(
                                evidence.steps().maxRequests(),
                                after.stream()
                                        .mapToInt(
                                                simulation -> simulation.work().maxRequests())
                                        .max()
                                        .orElse(0)),
                        evidence.longest(settings.longest())),
                Arrays.stream(Term.values()).map(this::term).toList(),
                findings,
                errors.stream().map(this::error).toList());
    }

    private CalibrationDocument.Term term(Term term) {
        return new CalibrationDocument.Term(
                name(term),
                Coefficients.meaning(term),
                unit(term),
                found.fitted().contains(term),
                shown(term),
                end(term, false),
                end(term, true));
    }

    private CalibrationDocument.Errors error(CalibrationErrors e) {
        Interval interval = e.interval(
                e.after(),
                settings.calibrate().resamples(),
                settings.calibrate().seed());
        return new CalibrationDocument.Errors(
                e.part(),
                e.metric(),
                e.real().length,
                e.median(e.before()),
                e.median(e.after()),
                interval.low(),
                interval.high(),
                e.mean(e.before()),
                e.mean(e.after()),
                e.ratioBefore());
    }

    /** The report of a calibration. */
    private record CalibrationReport(
            CalibrateStageSettings settings,
            Evidence evidence,
            FitResult found,
            List<CalibrationErrors> errors,
            List<String> findings) {
        private String title() {
            return "Calibration of " + settings.model().name() + " on "
                    + settings.hardware().name();
        }

        private String opening() {
            return counts("requests", evidence.requests(false), evidence.requests(true))
                    + counts(
                            "logged steps",
                            evidence.steps().steps(false),
                            evidence.steps().steps(true))
                    + (evidence.leftAside() > 0
                            ? Numbers.count(evidence.leftAside())
                                    + " omitted because they did not complete with the requested length; "
                            : "")
                    + found.rounds()
                    + " rounds. The directory of this run is a bundle: profiling.root=<directory>.";
        }

        private static String counts(String what, int fitted, int heldOut) {
            return fitted + heldOut == 0
                    ? ""
                    : Numbers.count(fitted) + " " + what + " fitted, " + Numbers.count(heldOut) + " for validation; ";
        }

        /** Returns the error before and after the calibration, with the sign and denominator of the table. */
        private String verdict(String metric) {
            return errors.stream()
                    .filter(e -> e.part().equals("held_out") && e.metric().equals(metric))
                    .findFirst()
                    .map(e -> "Error of the simulated " + title(e) + " median in the validation set: "
                            + Numbers.percent(e.median(e.before())) + " before, " + Numbers.percent(e.median(e.after()))
                            + " calibrated")
                    .orElse("No request of the validation set has a " + metric.toUpperCase(Locale.ROOT));
        }

        private static String title(CalibrationErrors e) {
            return e.metric().toUpperCase(Locale.ROOT);
        }

        private DataTable terms() {
            DataTable table = new DataTable("Terms, with 95 % intervals over resampled requests")
                    .columns("term", "meaning", "#value", "#interval");
            for (Term term : Term.values()) {
                boolean fitted = found.fitted().contains(term);
                String unit = Coefficients.isFactor(term) ? "" : " ms";
                double value = Coefficients.shown(term, found.coefficients().of(term));
                Interval interval = found.intervals()[term.ordinal()];
                table.row(
                        CalibrationFiles.name(term),
                        Coefficients.meaning(term),
                        Numbers.significant(value, 4) + unit,
                        fitted
                                ? Numbers.range(
                                        Coefficients.shown(term, interval.low()),
                                        Coefficients.shown(term, interval.high()),
                                        4)
                                : found.unidentified().contains(term) || (term == Term.GAP && !evidence.separatesGap())
                                        ? "not identified"
                                        : settings.calibrate().terms().contains(term)
                                                ? "nothing to correct"
                                                : "not fitted");
            }
            return table;
        }

        private DataTable errorTable() {
            DataTable table = new DataTable("Error of the simulation, % of the measurement")
                    .columns("requests", "metric", "#n", "#measured P50", "#P50 before", "#P50 after")
                    .number("95 % interval", "of the error of the median, over resampled requests")
                    .columns("#mean abs. before", "#mean abs. after");
            for (CalibrationErrors e : errors) {
                double median = Quantiles.of(e.real(), 0.5);
                Interval interval = e.interval(
                        e.after(),
                        settings.calibrate().resamples(),
                        settings.calibrate().seed());
                table.row(
                        e.part().replace('_', ' '),
                        title(e),
                        Numbers.count(e.real().length),
                        TimeScale.fit(median).withUnit(median),
                        Numbers.fixed(e.median(e.before()), 2),
                        Numbers.fixed(e.median(e.after()), 2),
                        Numbers.fixed(interval.low(), 2) + " to " + Numbers.fixed(interval.high(), 2),
                        Numbers.fixed(e.mean(e.before()), 2),
                        Numbers.fixed(e.mean(e.after()), 2));
            }
            return table;
        }

        Report report() {
            Report out = new Report(title())
                    .answer(verdict(evidence.runs().isEmpty() ? CalibrationErrors.STEP : "tpot") + ".")
                    .prose(evidence.runs().isEmpty() ? "" : verdict("ttft") + ".")
                    .prose(opening());
            if (!findings.isEmpty()) {
                out.section("findings", "Caution").items(findings);
            }
            out.section("errors", "Before and after").table(errorTable());
            out.section("terms", "Terms").table(terms());
            boolean crossed = charted().equals(CrossValidation.PART);
            out.detail(
                    "predicted",
                    crossed ? "Requests, each predicted by a fit to others" : "Measurements for validation");
            errors.stream()
                    .filter(e -> e.part().equals(charted()))
                    .forEach(e -> out.charts(chart(e, TimeScale.fit(Quantiles.of(e.real(), 0.5)))));
            return out;
        }

        /** Returns the part with the most predicted values. */
        private String charted() {
            return errors.stream().anyMatch(e -> e.part().equals(CrossValidation.PART))
                    ? CrossValidation.PART
                    : "held_out";
        }

        private static String predicted(CalibrationErrors e) {
            String values = e.metric().equals(CalibrationErrors.STEP) ? "groups of logged steps" : "requests";
            return values
                    + (e.part().equals(CrossValidation.PART) ? " each predicted by a fit to others" : " held out");
        }

        private static Chart chart(CalibrationErrors e, TimeScale scale) {
            Charts.Subject subject = new Charts.Subject(
                    "held-out-" + e.metric(),
                    title(e) + ": measured and simulated with fitted terms",
                    "Distribution of " + title(e) + " over " + predicted(e) + ".",
                    title(e) + " (" + scale.unit() + ")",
                    "measured",
                    "calibrated");
            return Charts.cdf(subject, scale.of(Quantiles.sorted(e.real())), scale.of(Quantiles.sorted(e.after())));
        }
    }
}
