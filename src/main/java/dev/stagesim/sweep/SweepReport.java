package dev.stagesim.sweep;

import dev.stagesim.contract.JobStatus;
import dev.stagesim.model.Count;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Explorer;
import dev.stagesim.report.Explorer.Column;
import dev.stagesim.report.Explorer.Kind;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The report of a sweep: one page with its jobs to look through, offline. */
public final class SweepReport {
    /** Name of the file. */
    public static final String FILE = "report.html";

    private static final int MOST_ROWS = 5000;

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
     * The report with the regret of deciding by simulation.
     *
     * @param stage stage of the sweep
     * @param measured a sweep of measurements over the same keys
     */
    public static String html(String stage, SweepResult sweep, SweepResult measured) {
        return new SweepReport(stage, sweep.sweepId(), sweep.jobs())
                .html(Optional.of(measured.jobs()), Optional.empty());
    }

    private String html(Optional<List<JobOutcome>> measured, Optional<TokenPercentiles> tokens) {
        Page page = new Page("Sweep of " + stage, banner());
        measured.ifPresent(runs -> page.section("regret", "Regret of deciding by simulation", regret(runs)));
        SweepTables tables = new SweepTables(jobs);
        List<Column> columns = new ArrayList<>(List.of(new Column("job", Kind.LABEL)));
        tables.swept().forEach(key -> columns.add(new Column(key, Kind.KEY)));
        columns.add(new Column("status", Kind.LABEL));
        tables.figures().forEach(figure -> columns.add(new Column(figure, Kind.FIGURE)));
        List<List<String>> rows = new ArrayList<>();
        for (JobOutcome job : jobs.subList(0, Math.min(MOST_ROWS, jobs.size()))) {
            rows.add(row(job, tables));
        }
        new Explorer(columns, rows).addTo(page);
        tokens.map(TokenPercentiles::together)
                .filter(gathered -> !gathered.isEmpty())
                .ifPresent(gathered -> page.section("tokens", "Token times over all rows", tokens(gathered)));
        return page.footer(id + ", " + Count.of(jobs.size(), "job") + " of " + stage)
                .html();
    }

    private static List<String> row(JobOutcome job, SweepTables tables) {
        List<String> row = new ArrayList<>(List.of(Integer.toString(job.num())));
        Map<String, String> values = SweepTables.values(job);
        tables.swept().forEach(key -> row.add(values.getOrDefault(key, "")));
        row.add(job.status().text());
        Map<String, Double> figures =
                job.run().map(run -> run.meta().headlines()).orElseGet(TreeMap::new);
        tables.figures().forEach(figure -> {
            Double value = figures.get(figure);
            row.add(value == null ? "" : value.toString());
        });
        return row;
    }

    private Markup banner() {
        long done = jobs.stream().filter(job -> job.run().isPresent()).count();
        long failed =
                jobs.stream().filter(job -> job.status() == JobStatus.FAILED).count();
        String text = String.format(Locale.ROOT, "%,d of %,d jobs have a run", done, jobs.size())
                + (failed == 0 ? "." : String.format(Locale.ROOT, "; %,d failed.", failed))
                + (jobs.size() > MOST_ROWS ? " The first " + MOST_ROWS + " are shown; results.csv has all." : "");
        return new Markup().leaf("p", text, "class", "lead").line();
    }

    private static Markup tokens(List<TokenPercentiles.Row> rows) {
        DataTable table = new DataTable(
                        "Percentiles in ms over the token rows of all jobs, and of those that share a value;"
                                + " token_percentiles.csv has each job's")
                .columns("jobs", "times", "#rows", "#mean", "#P50", "#P90", "#P95", "#P99", "#P99.9", "#greatest");
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
        return table.html();
    }

    private static String ms(long ns) {
        return Numbers.significant(ns / 1e6, 5);
    }

    private Markup regret(List<JobOutcome> measured) {
        List<Regret> all = Regret.of(jobs, measured);
        if (all.isEmpty()) {
            return new Markup()
                    .leaf("p", "No measured job has the same values of the swept keys and a figure of the same name.")
                    .line();
        }
        DataTable table = new DataTable("What the measured best would have gained")
                .columns(
                        "figure",
                        "#jobs with both",
                        "best by simulation",
                        "#measured there",
                        "best measured",
                        "#measured best",
                        "#regret");
        for (Regret one : all) {
            table.row(
                    one.figure(),
                    Integer.toString(one.jobs()),
                    one.chosen(),
                    Numbers.significant(one.chosenMeasured(), 5),
                    one.best(),
                    Numbers.significant(one.bestMeasured(), 5),
                    Numbers.share(one.share(), 1));
        }
        return table.html();
    }
}
