package dev.stagesim.stage.compare;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.Metric;
import dev.stagesim.comparison.TokenGaps;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/**
 * A published aggregate of the measured run, compared with the simulated values because the measured samples are
 * unknown.
 *
 * @param nReal number of samples of the published value, if stated
 * @param nSim number of samples of the simulated value
 */
record PublishedRow(
        Metric metric, Statistic statistic, double real, double sim, Optional<Long> nReal, int nSim, boolean reliable) {
    double percent() {
        return 100 * (sim - real) / real;
    }

    /**
     * Returns the published aggregates to compare: all with this product's definition if the measured run has
     * aggregates only, otherwise the token gaps if only the simulation has tokens.
     */
    static List<PublishedRow> of(ComparedRun real, ComparedRun sim, Optional<TokenGaps> gaps) {
        List<PublishedRow> rows = new ArrayList<>();
        if (gaps.isPresent() && !real.hasGaps()) {
            rows.addAll(of(real, Metric.TOKEN_GAP, new Sample(gaps.get().values(), new long[0])));
        }
        if (real.aggregatesOnly()) {
            rows.addAll(of(real, Metric.TTFT, sample(sim, 1, row -> row.first() - row.arrival(), row -> 1)));
            rows.addAll(of(
                    real,
                    Metric.TPOT,
                    sample(
                            sim,
                            2,
                            row -> (double) (row.completion() - row.first()) / (row.actual() - 1),
                            row -> row.actual() - 1)));
            rows.addAll(of(real, Metric.E2E, sample(sim, 1, row -> row.completion() - row.arrival(), row -> 1)));
            rows.addAll(of(
                    real,
                    Metric.NORM_LATENCY,
                    sample(
                            sim,
                            1,
                            row -> (double) (row.completion() - row.arrival()) / row.actual(),
                            RequestRow::actual)));
        }
        return rows;
    }

    /** Returns the published aggregates with another definition, by metric. They are not compared. */
    static List<String> otherDefinitions(ComparedRun real) {
        return real.published().stream()
                .filter(aggregate -> !Metric.named(aggregate.metric()).agrees(aggregate.definition()))
                .map(aggregate -> aggregate.metric() + " (" + aggregate.definition() + ")")
                .distinct()
                .toList();
    }

    /**
     * Simulated values in ascending order, with the weights that some tools give them.
     *
     * @param weights number of tokens or gaps of each value
     */
    private record Sample(double[] values, long[] weights) {
        /** Returns the statistic by the rule of the published value. */
        double value(Statistic statistic, Published aggregate) {
            String method = aggregate.method().orElse("");
            boolean isWeighted = method.equals(Published.WEIGHTED);
            if (!isWeighted && (statistic.isMean() || !method.equals(Published.INVERSE))) {
                return Measures.value(statistic, values);
            }
            double total = isWeighted ? LongStream.of(weights).sum() : values.length;
            double sum = 0;
            double reached = 0;
            for (int i = 0; i < values.length; i++) {
                double weight = isWeighted ? weights[i] : 1;
                sum += weight * values[i];
                reached += weight;
                if (!statistic.isMean() && reached >= statistic.quantile() * total) {
                    return values[i];
                }
            }
            return statistic.isMean() ? sum / total : values[values.length - 1];
        }
    }

    private static Sample sample(
            ComparedRun side, long minTokens, ToDoubleFunction<RequestRow> value, ToLongFunction<RequestRow> weight) {
        List<RequestRow> rows = side.rows().stream()
                .filter(row -> row.completed() && row.actual() >= minTokens)
                .sorted(Comparator.comparingDouble(value))
                .toList();
        return new Sample(
                rows.stream().mapToDouble(value).toArray(),
                rows.stream().mapToLong(weight).toArray());
    }

    private static List<PublishedRow> of(ComparedRun real, Metric metric, Sample sample) {
        List<PublishedRow> rows = new ArrayList<>();
        int n = sample.values().length;
        if (n == 0) {
            return rows;
        }
        for (Published aggregate : real.published()) {
            if (aggregate.metric().equals(metric.key()) && metric.agrees(aggregate.definition())) {
                Statistic statistic = Statistic.of(aggregate.statistic());
                rows.add(new PublishedRow(
                        metric,
                        statistic,
                        aggregate.valueNs(),
                        sample.value(statistic, aggregate),
                        aggregate.n(),
                        n,
                        statistic.isMean() || Quantiles.reliable(n, statistic.quantile())));
            }
        }
        return rows;
    }
}
