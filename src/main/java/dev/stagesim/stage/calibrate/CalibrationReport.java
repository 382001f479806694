package dev.stagesim.stage.calibrate;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markdown;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Page;
import dev.stagesim.report.TimeScale;
import dev.stagesim.report.chart.Charts;
import dev.stagesim.report.chart.SvgChart;
import dev.stagesim.settings.CalibrateSettings.Term;
import dev.stagesim.stage.calibrate.Fitting.Found;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.Quantiles;
import java.util.List;

/** What a calibration found, for people: as Markdown and as a page. */
final class CalibrationReport {
    private final CalibrateStageSettings settings;
    private final Measured measured;
    private final Found found;
    private final List<Errors> errors;

    CalibrationReport(CalibrateStageSettings settings, Measured measured, Found found, List<Errors> errors) {
        this.settings = settings;
        this.measured = measured;
        this.found = found;
        this.errors = errors;
    }

    private String title() {
        return "Calibration of " + settings.model().name() + " on "
                + settings.hardware().name();
    }

    private String opening() {
        return Numbers.count(measured.part(false).size()) + " requests fitted, "
                + Numbers.count(measured.part(true).size()) + " held out"
                + (measured.leftAside() > 0
                        ? ", " + Numbers.count(measured.leftAside())
                                + " left aside because they did not complete as asked"
                        : "")
                + "; " + found.rounds() + " rounds. The directory of this run is a bundle: profiling.root=<directory>.";
    }

    private String verdict() {
        return errors.stream()
                .filter(e -> e.part().equals("held_out") && !e.metric().equals("e2e"))
                .map(e -> e.metric() + " P50 of the requests held out: error "
                        + Numbers.fixed(e.median(e.before()), 1) + " % before, "
                        + Numbers.fixed(e.median(e.after()), 1) + " % after")
                .collect(java.util.stream.Collectors.joining("; "));
    }

    private DataTable terms() {
        DataTable table = new DataTable("Terms, with 95 % intervals over resampled requests")
                .text("term")
                .text("meaning")
                .number("value")
                .number("interval");
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
                            ? Numbers.significant(Coefficients.shown(term, interval.low()), 4) + " to "
                                    + Numbers.significant(Coefficients.shown(term, interval.high()), 4)
                            : "not fitted");
        }
        return table;
    }

    private DataTable errorTable() {
        DataTable table = new DataTable("Error of the simulation, % of the measurement")
                .text("requests")
                .text("metric")
                .number("n")
                .number("measured P50")
                .number("P50 before")
                .number("P50 after")
                .number("mean abs. before")
                .number("mean abs. after");
        for (Errors e : errors) {
            double median = Quantiles.of(e.real(), 0.5);
            table.row(
                    e.part().replace('_', ' '),
                    e.metric(),
                    Numbers.count(e.real().length),
                    TimeScale.fit(median).withUnit(median),
                    Numbers.fixed(e.median(e.before()), 2),
                    Numbers.fixed(e.median(e.after()), 2),
                    Numbers.fixed(e.mean(e.before()), 2),
                    Numbers.fixed(e.mean(e.after()), 2));
        }
        return table;
    }

    String markdown() {
        return new Markdown()
                .heading(1, title())
                .paragraph(opening())
                .table(errorTable())
                .table(terms())
                .build();
    }

    String html() {
        Markup banner = new Markup().open("div", "class", "verdict");
        banner.leaf("p", verdict(), "class", "word").leaf("p", opening()).close();
        Page page = new Page(title(), banner);
        page.section("errors", "Before and after", errorTable().html());
        page.section("terms", "Terms", terms().html());
        for (Errors e : errors) {
            if (e.part().equals("held_out")) {
                TimeScale scale = TimeScale.fit(Quantiles.of(e.real(), 0.5));
                page.section(e.metric(), e.metric() + " of the requests held out", chart(e, scale));
            }
        }
        return page.html();
    }

    private static Markup chart(Errors e, TimeScale scale) {
        Charts.Subject subject = new Charts.Subject(
                "held-out-" + e.metric(),
                e.metric() + ": measured and simulated with the calibrated bundle",
                "Distribution of " + e.metric() + " over the requests held out.",
                e.metric() + " (" + scale.unit() + ")",
                "measured",
                "calibrated");
        return SvgChart.figure(Charts.cdf(subject, scaled(e.real(), scale), scaled(e.after(), scale)));
    }

    private static double[] scaled(double[] values, TimeScale scale) {
        double[] sorted = Quantiles.sorted(values);
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = scale.of(sorted[i]);
        }
        return sorted;
    }
}
