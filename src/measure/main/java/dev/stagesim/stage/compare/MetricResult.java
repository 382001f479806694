package dev.stagesim.stage.compare;

import dev.stagesim.comparison.Metric;
import dev.stagesim.stats.BlandAltman;
import dev.stagesim.stats.Bootstrap;
import dev.stagesim.stats.PairedErrors;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One metric of both runs.
 *
 * @param metric the metric
 * @param real measured values, ascending
 * @param sim simulated values, ascending
 * @param rows statistics, in the order of {@link Statistic#ALL}
 * @param ks Kolmogorov-Smirnov statistic
 * @param wasserstein1 Wasserstein-1 distance in ns
 * @param paired errors by request; empty for values that do not pair up
 * @param resamples number of bootstrap resamples of the intervals, or 0
 */
record MetricResult(
        Metric metric,
        double[] real,
        double[] sim,
        List<Row> rows,
        double ks,
        double wasserstein1,
        Optional<Paired> paired,
        int resamples) {
    /**
     * One statistic, with 95 % intervals.
     *
     * @param reliable false if fewer than ten values are expected beyond the statistic
     */
    record Row(
            Statistic statistic, double real, double sim, Optional<Bootstrap.Intervals> intervals, boolean reliable) {
        double difference() {
            return sim - real;
        }

        double percent() {
            return 100 * (sim - real) / real;
        }
    }

    /** Errors of the simulation by request. */
    record Paired(
            PairedErrors errors,
            OptionalDouble pearson,
            OptionalDouble spearman,
            OptionalDouble kendall,
            BlandAltman agreement) {}

    Row row(String statistic) {
        return rows.stream()
                .filter(row -> row.statistic().name().equals(statistic))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no statistic " + statistic));
    }

    double wassersteinPercent() {
        return 100 * wasserstein1 / row("mean").real();
    }
}
