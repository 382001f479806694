package dev.stagesim.stage.compare;

import dev.stagesim.comparison.CompareTables;
import dev.stagesim.comparison.Metric;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.stats.Bootstrap;
import dev.stagesim.stats.Interval;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Writes a comparison's CSV tables. */
record ComparisonTables(Path out, Comparison comparison) {
    void write() throws IOException {
        Files.createDirectories(out.resolve("tables"));
        percentiles();
        distances();
        errors();
        throughput();
        alignment();
        requests();
    }

    private void percentiles() throws IOException {
        try (TableWriter rows = TableWriter.in(out, CompareTables.PERCENTILES)) {
            for (MetricResult metric : comparison.metrics()) {
                for (MetricResult.Row row : metric.rows()) {
                    name(rows, metric.metric());
                    rows.put(row.statistic().name()).put("measured");
                    rows.put((long) metric.real().length).put((long) metric.sim().length);
                    sides(rows, row.real(), row.sim());
                    interval(rows, row.intervals().map(Bootstrap.Intervals::a));
                    interval(rows, row.intervals().map(Bootstrap.Intervals::b));
                    interval(rows, row.intervals().map(Bootstrap.Intervals::percent));
                    rows.put(row.reliable()).endRow();
                }
            }
            for (PublishedRow row : comparison.published()) {
                name(rows, row.metric());
                rows.put(row.statistic().name()).put("published");
                rows.putIf(row.nReal().isPresent(), row.nReal().orElse(0L));
                rows.put((long) row.nSim());
                sides(rows, row.real(), row.sim());
                for (int i = 0; i < 6; i++) {
                    rows.putEmpty();
                }
                rows.put(row.reliable()).endRow();
            }
        }
    }

    private static void name(TableWriter rows, Metric metric) throws IOException {
        rows.put(metric.key()).put(metric.definition());
    }

    private static void sides(TableWriter rows, double real, double sim) throws IOException {
        finite(rows, real, sim, sim - real, 100 * (sim - real) / real);
    }

    private static void interval(TableWriter rows, Optional<Interval> interval) throws IOException {
        finite(
                rows,
                interval.map(Interval::low).orElse(Double.NaN),
                interval.map(Interval::high).orElse(Double.NaN));
    }

    private static void finite(TableWriter rows, double... values) throws IOException {
        for (double value : values) {
            rows.putFinite(value);
        }
    }

    private void distances() throws IOException {
        TableWriter.write(out, CompareTables.DISTANCES, comparison.metrics(), (rows, metric) -> {
            rows.put(metric.metric().key());
            rows.put((long) metric.real().length).put((long) metric.sim().length);
            rows.put(metric.ks()).put(metric.wasserstein1()).putFinite(metric.wassersteinPercent());
        });
    }

    private void errors() throws IOException {
        try (TableWriter rows = TableWriter.in(out, CompareTables.ERRORS)) {
            for (MetricResult metric : comparison.metrics()) {
                if (metric.paired().isPresent()) {
                    MetricResult.Paired paired = metric.paired().get();
                    rows.put(metric.metric().key()).put((long) paired.errors().n());
                    finite(
                            rows,
                            paired.errors().mape(),
                            paired.errors().medianApe(),
                            paired.errors().smape(),
                            paired.errors().mpe(),
                            paired.errors().mae(),
                            paired.errors().rmse(),
                            paired.pearson().orElse(Double.NaN),
                            paired.spearman().orElse(Double.NaN),
                            paired.kendall().orElse(Double.NaN),
                            paired.agreement().bias(),
                            paired.agreement().low(),
                            paired.agreement().high());
                    rows.endRow();
                }
            }
        }
    }

    private void throughput() throws IOException {
        TableWriter.write(out, CompareTables.THROUGHPUT, comparison.throughput(), (rows, rate) -> {
            rows.put(rate.quantity()).put(rate.unit());
            finite(rows, rate.real(), rate.sim(), rate.percent());
        });
    }

    private void alignment() throws IOException {
        TableWriter.write(
                out, CompareTables.ALIGNMENT, comparison.alignment().audit(), (rows, outcome) -> rows.put(outcome.id())
                        .put(outcome.outcome())
                        .put(outcome.tokens())
                        .put(outcome.cut()));
    }

    private void requests() throws IOException {
        TableWriter.write(out, CompareTables.REQUESTS, comparison.alignment().pairs(), (rows, pair) -> {
            rows.put(pair.real().id()).put(pair.real().prefill()).put(pair.tokens());
            rows.put(pair.real().arrival()).put(pair.sim().arrival());
            both(rows, pair.ttftReal(), pair.ttftSim());
            both(rows, pair.tpotReal(), pair.tpotSim());
            both(rows, pair.e2eReal(), pair.e2eSim());
            both(rows, pair.e2eReal() / pair.tokens(), pair.e2eSim() / pair.tokens());
        });
    }

    private static void both(TableWriter rows, double real, double sim) throws IOException {
        finite(rows, real, sim, 100 * (sim - real) / real);
    }
}
