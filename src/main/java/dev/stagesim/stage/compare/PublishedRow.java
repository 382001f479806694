package dev.stagesim.stage.compare;

import dev.stagesim.stage.compare.Side.Aggregate;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A published aggregate of the real side held against the sim side's values, where the real side's own are not known.
 *
 * @param nReal values behind the published figure, where stated
 * @param nSim values behind the simulated one
 */
record PublishedRow(
        Metric metric, Statistic statistic, double real, double sim, Optional<Long> nReal, int nSim, boolean reliable) {
    double percent() {
        return 100 * (sim - real) / real;
    }

    /** The published token gaps, when the real side has no tokens and the sim side has. */
    static List<PublishedRow> of(Side real, Optional<TokenGaps> sim) {
        List<PublishedRow> rows = new ArrayList<>();
        if (real.hasTokens() || sim.isEmpty()) {
            return rows;
        }
        double[] values = sim.get().values();
        if (values.length == 0) {
            return rows;
        }
        for (Aggregate aggregate : real.published()) {
            if (aggregate.metric().equals(Metric.TOKEN_GAP.key())) {
                Statistic statistic = Statistic.of(aggregate.statistic());
                rows.add(new PublishedRow(
                        Metric.TOKEN_GAP,
                        statistic,
                        aggregate.valueNs(),
                        Measures.value(statistic, values),
                        aggregate.n(),
                        values.length,
                        statistic.isMean() || Quantiles.reliable(values.length, statistic.quantile())));
            }
        }
        return rows;
    }
}
