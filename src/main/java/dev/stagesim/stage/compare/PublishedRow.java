package dev.stagesim.stage.compare;

import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * A published aggregate of the real side compared with the sim side's values, where the real side's own are not known.
 *
 * @param nReal values behind the published figure, where stated
 * @param nSim values behind the simulated one
 */
record PublishedRow(
        Metric metric, Statistic statistic, double real, double sim, Optional<Long> nReal, int nSim, boolean reliable) {
    double percent() {
        return 100 * (sim - real) / real;
    }

    /**
     * The published figures that stand in for values: of a side with aggregates only all whose definition is ours, else the
     * token gaps when only the sim side has tokens.
     */
    static List<PublishedRow> of(Side real, Side sim, Optional<TokenGaps> gaps) {
        List<PublishedRow> rows = new ArrayList<>();
        if (gaps.isPresent() && !real.hasGaps()) {
            rows.addAll(of(real, Metric.TOKEN_GAP, gaps.get().values()));
        }
        if (real.aggregatesOnly()) {
            rows.addAll(of(real, Metric.TTFT, values(sim, 1, row -> row.first() - row.arrival())));
            rows.addAll(of(
                    real,
                    Metric.TPOT,
                    values(sim, 2, row -> (double) (row.completion() - row.first()) / (row.actual() - 1))));
            rows.addAll(of(real, Metric.E2E, values(sim, 1, row -> row.completion() - row.arrival())));
            rows.addAll(of(
                    real,
                    Metric.NORM_LATENCY,
                    values(sim, 1, row -> (double) (row.completion() - row.arrival()) / row.actual())));
        }
        return rows;
    }

    /** Figures that were published under another definition than ours, by metric; they are not compared. */
    static List<String> otherDefinitions(Side real) {
        return real.published().stream()
                .filter(aggregate -> !Metric.named(aggregate.metric()).agrees(aggregate.definition()))
                .map(aggregate -> aggregate.metric() + " (" + aggregate.definition() + ")")
                .distinct()
                .toList();
    }

    private static double[] values(Side side, long fewestTokens, ToDoubleFunction<RequestRow> value) {
        return side.rows().stream()
                .filter(row -> row.completed() && row.actual() >= fewestTokens)
                .mapToDouble(value)
                .sorted()
                .toArray();
    }

    private static List<PublishedRow> of(Side real, Metric metric, double[] sorted) {
        List<PublishedRow> rows = new ArrayList<>();
        if (sorted.length == 0) {
            return rows;
        }
        for (Published aggregate : real.published()) {
            if (aggregate.metric().equals(metric.key()) && metric.agrees(aggregate.definition())) {
                Statistic statistic = Statistic.of(aggregate.statistic());
                rows.add(new PublishedRow(
                        metric,
                        statistic,
                        aggregate.valueNs(),
                        Measures.value(statistic, sorted),
                        aggregate.n(),
                        sorted.length,
                        statistic.isMean() || Quantiles.reliable(sorted.length, statistic.quantile())));
            }
        }
        return rows;
    }
}
