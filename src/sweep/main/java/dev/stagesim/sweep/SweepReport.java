package dev.stagesim.sweep;

import dev.stagesim.model.Count;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Explorer;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The report of a sweep: one page with a browsable table of its jobs, usable offline. */
public final class SweepReport {
    /** Name of the file. */
    static final String FILE = "report.html";

    private final String stage;
    private final String id;
    private final List<JobOutcome> jobs;

    private SweepReport(String stage, String id, List<JobOutcome> jobs) {
        this.stage = stage;
        this.id = id;
        this.jobs = jobs;
    }

    /** Writes the report into the directory of a sweep. */
    static void write(Path dir, String stage, List<JobOutcome> jobs, Optional<TokenPercentiles> tokens)
            throws IOException {
        String html = new SweepReport(stage, dir.getFileName().toString(), jobs).html(Optional.empty(), tokens);
        SweepFiles.write(dir.resolve(FILE), to -> Files.writeString(to, html));
    }

    /**
     * Returns the report with the regret: the loss if the best simulated job is chosen instead of the best measured job.
     *
     * @param measured a sweep of measurements over the same keys
     */
    public static String html(String stage, SweepResult sweep, SweepResult measured) {
        return new SweepReport(stage, sweep.sweepId(), sweep.jobs())
                .html(Optional.of(measured.jobs()), Optional.empty());
    }

    private String html(Optional<List<JobOutcome>> measured, Optional<TokenPercentiles> tokens) {
        Spread spread = new Spread(jobs);
        Report report = new Report("Sweep of " + stage).answer(spread.answer() + answer());
        spread.sentences().forEach(report::lead);
        measured.ifPresent(runs -> regret(report.section("regret", "Regret of deciding by simulation"), runs));
        report.explorer(rows());
        tokens.map(TokenPercentiles::together)
                .filter(gathered -> !gathered.isEmpty())
                .ifPresent(gathered ->
                        report.section("tokens", "Token times over all rows").table(tokens(gathered)));
        return report.footer(id + ", " + Count.of(jobs.size(), "job") + " of " + stage)
                .html();
    }

    private Explorer rows() {
        SweepTables tables = new SweepTables(jobs);
        Explorer rows = new Explorer("job", tables.swept(), List.of("status"), tables.figures());
        for (JobOutcome job : jobs) {
            Map<String, Double> figures =
                    job.run().map(run -> run.meta().headlines()).orElseGet(TreeMap::new);
            List<String> status = List.of(job.status().text());
            rows.row(job.num(), SweepTables.values(job.overrides()), status, figures);
        }
        return rows;
    }

    private String answer() {
        long done = jobs.stream().filter(job -> job.run().isPresent()).count();
        long failed =
                jobs.stream().filter(job -> job.status() == JobStatus.FAILED).count();
        return String.format(Locale.ROOT, "%,d of %,d jobs have a run", done, jobs.size())
                + (failed == 0 ? "." : String.format(Locale.ROOT, "; %,d failed.", failed));
    }

    private static DataTable tokens(List<TokenPercentiles.Row> rows) {
        DataTable table = new DataTable(
                        "Percentiles in ms over the token rows of all jobs, and of the jobs with a given value;"
                                + " token_percentiles.csv has the percentiles of each job")
                .columns("jobs", "times", "#rows", "#mean", "#P50", "#P90", "#P95", "#P99", "#P99.9", "#max");
        for (TokenPercentiles.Row row : rows) {
            TokenPercentiles.Figures figures = row.figures();
            List<String> cells = new ArrayList<>(List.of(
                    row.key().isEmpty() ? "all" : row.key() + "=" + row.value(),
                    row.times().replace('_', ' '),
                    String.format(Locale.ROOT, "%,d", figures.rows()),
                    ms(figures.mean())));
            figures.percentiles().forEach(percentile -> cells.add(ms(percentile)));
            cells.add(ms(figures.max()));
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    private static String ms(long ns) {
        return Numbers.significant(ns / 1e6, 5);
    }

    private void regret(Report report, List<JobOutcome> measured) {
        List<SweepRegret> all = SweepRegret.of(jobs, measured);
        if (all.isEmpty()) {
            report.prose("No measured job has the same values of the swept keys and a metric of the same name.");
            return;
        }
        DataTable table = new DataTable("Gain of the best measured job")
                .columns(
                        "metric",
                        "#common jobs",
                        "best by simulation",
                        "#its measurement",
                        "best measured",
                        "#best measurement",
                        "#regret");
        for (SweepRegret regret : all) {
            table.row(
                    regret.figure(),
                    Integer.toString(regret.jobs()),
                    regret.chosen(),
                    Numbers.significant(regret.chosenMeasured(), 5),
                    regret.best(),
                    Numbers.significant(regret.bestMeasured(), 5),
                    Numbers.share(regret.share(), 1));
        }
        report.table(table);
    }
}
