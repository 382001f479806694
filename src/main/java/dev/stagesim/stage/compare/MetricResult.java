package dev.stagesim.stage.compare;

import dev.stagesim.stats.BlandAltman;
import dev.stagesim.stats.Bootstrap;
import dev.stagesim.stats.PairedErrors;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One metric on both sides.
 *
 * @param metric which
 * @param real values of the real side, ascending
 * @param sim values of the sim side, ascending
 * @param rows statistics, in the order of {@link Statistic#ALL}
 * @param ks Kolmogorov-Smirnov statistic
 * @param wasserstein1 Wasserstein-1 distance in ns
 * @param paired errors request by request; empty for values that do not pair up
 * @param resamples bootstrap resamples behind the intervals; 0 when there are none
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
     * One statistic; intervals hold 95 %.
     *
     * @param reliable false when fewer than ten values are expected beyond it
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

    /** Errors of the sim side, request by request. */
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
