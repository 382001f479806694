package dev.stagesim.stage.compare;

import dev.stagesim.contract.CompareTables;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.stage.compare.Alignment.Outcome;
import dev.stagesim.stage.compare.Alignment.Pair;
import dev.stagesim.stats.Interval;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;

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

    private TableWriter open(TableSchema schema) throws IOException {
        return TableWriter.create(out.resolve(schema.name()), schema);
    }

    private void percentiles() throws IOException {
        try (TableWriter rows = open(CompareTables.PERCENTILES)) {
            for (MetricResult metric : comparison.metrics()) {
                for (MetricResult.Row row : metric.rows()) {
                    name(rows, metric.metric());
                    rows.put(row.statistic().name()).put("measured");
                    rows.put((long) metric.real().length).put((long) metric.sim().length);
                    sides(rows, row.real(), row.sim());
                    interval(rows, row.intervals().map(MetricResult.Intervals::real));
                    interval(rows, row.intervals().map(MetricResult.Intervals::sim));
                    interval(rows, row.intervals().map(MetricResult.Intervals::percent));
                    rows.put(row.reliable()).endRow();
                }
            }
            for (PublishedRow row : comparison.published()) {
                name(rows, row.metric());
                rows.put(row.statistic().name()).put("published");
                if (row.nReal().isPresent()) {
                    rows.put(row.nReal().get());
                } else {
                    rows.putEmpty();
                }
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
        rows.put(metric.key());
        if (metric.definition().isEmpty()) {
            rows.putEmpty();
        } else {
            rows.put(metric.definition());
        }
    }

    private static void sides(TableWriter rows, double real, double sim) throws IOException {
        value(rows, real);
        value(rows, sim);
        value(rows, sim - real);
        value(rows, 100 * (sim - real) / real);
    }

    private static void interval(TableWriter rows, Optional<Interval> interval) throws IOException {
        value(rows, interval.map(Interval::low).orElse(Double.NaN));
        value(rows, interval.map(Interval::high).orElse(Double.NaN));
    }

    private static void value(TableWriter rows, double value) throws IOException {
        rows.putIf(Double.isFinite(value), value);
    }

    private static void value(TableWriter rows, OptionalDouble value) throws IOException {
        value(rows, value.orElse(Double.NaN));
    }

    private void distances() throws IOException {
        try (TableWriter rows = open(CompareTables.DISTANCES)) {
            for (MetricResult metric : comparison.metrics()) {
                rows.put(metric.metric().key());
                rows.put((long) metric.real().length).put((long) metric.sim().length);
                rows.put(metric.ks()).put(metric.wasserstein1());
                value(rows, metric.wassersteinPercent());
                rows.endRow();
            }
        }
    }

    private void errors() throws IOException {
        try (TableWriter rows = open(CompareTables.ERRORS)) {
            for (MetricResult metric : comparison.metrics()) {
                if (metric.paired().isPresent()) {
                    MetricResult.Paired paired = metric.paired().get();
                    rows.put(metric.metric().key()).put((long) paired.errors().n());
                    value(rows, paired.errors().mape());
                    value(rows, paired.errors().medianApe());
                    value(rows, paired.errors().smape());
                    value(rows, paired.errors().mpe());
                    value(rows, paired.errors().mae());
                    value(rows, paired.errors().rmse());
                    value(rows, paired.pearson());
                    value(rows, paired.spearman());
                    value(rows, paired.kendall());
                    value(rows, paired.agreement().bias());
                    value(rows, paired.agreement().low());
                    value(rows, paired.agreement().high());
                    rows.endRow();
                }
            }
        }
    }

    private void throughput() throws IOException {
        try (TableWriter rows = open(CompareTables.THROUGHPUT)) {
            for (Throughput rate : comparison.throughput()) {
                rows.put(rate.quantity()).put(rate.unit());
                value(rows, rate.real());
                value(rows, rate.sim());
                value(rows, rate.percent());
                rows.endRow();
            }
        }
    }

    private void alignment() throws IOException {
        try (TableWriter rows = open(CompareTables.ALIGNMENT)) {
            for (Outcome outcome : comparison.alignment().audit()) {
                rows.put(outcome.id())
                        .put(outcome.outcome())
                        .put(outcome.tokens())
                        .put(outcome.cut())
                        .endRow();
            }
        }
    }

    private void requests() throws IOException {
        try (TableWriter rows = open(CompareTables.REQUESTS)) {
            for (Pair pair : comparison.alignment().pairs()) {
                rows.put(pair.real().id()).put(pair.real().prefill()).put(pair.tokens());
                rows.put(pair.real().arrival()).put(pair.sim().arrival());
                both(rows, pair.ttftReal(), pair.ttftSim());
                both(rows, pair.tpotReal(), pair.tpotSim());
                both(rows, pair.e2eReal(), pair.e2eSim());
                both(rows, pair.e2eReal() / pair.tokens(), pair.e2eSim() / pair.tokens());
                rows.endRow();
            }
        }
    }

    private static void both(TableWriter rows, double real, double sim) throws IOException {
        value(rows, real);
        value(rows, sim);
        value(rows, 100 * (sim - real) / real);
    }
}
