package dev.stagesim.stage.compare;

import dev.stagesim.comparison.Metric;
import dev.stagesim.comparison.TokenGaps;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.stage.compare.Alignment.Pair;
import dev.stagesim.stage.compare.MetricResult.Paired;
import dev.stagesim.stats.BlandAltman;
import dev.stagesim.stats.Bootstrap;
import dev.stagesim.stats.Correlation;
import dev.stagesim.stats.Distances;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.PairedErrors;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** Computes every metric of an alignment. */
record Measures(CompareSettings.Bootstrap bootstrap) {
    private static final double DRAWS = 2e7;
    private static final double LEVEL = 0.95;
    private static final int MIN_RESAMPLES = 20;

    static List<MetricResult> of(
            Alignment alignment, Optional<TokenGaps> real, Optional<TokenGaps> sim, CompareSettings settings) {
        Measures measures = new Measures(settings.bootstrap());
        List<Pair> pairs = alignment.pairs();
        List<MetricResult> results = new ArrayList<>();
        results.add(measures.paired(Metric.TTFT, pairs, Pair::ttftReal, Pair::ttftSim));
        List<Pair> several = pairs.stream().filter(pair -> pair.tokens() > 1).toList();
        if (!several.isEmpty()) {
            results.add(measures.paired(Metric.TPOT, several, Pair::tpotReal, Pair::tpotSim));
            if (real.isPresent() && sim.isPresent()) {
                measures.gaps(real.get().values(), sim.get().values()).ifPresent(results::add);
            }
        }
        results.add(measures.paired(Metric.E2E, pairs, Pair::e2eReal, Pair::e2eSim));
        results.add(measures.paired(
                Metric.NORM_LATENCY, pairs, p -> p.e2eReal() / p.tokens(), p -> p.e2eSim() / p.tokens()));
        return results;
    }

    private Optional<MetricResult> gaps(double[] real, double[] sim) {
        return real.length == 0 || sim.length == 0
                ? Optional.empty()
                : Optional.of(result(Metric.TOKEN_GAP, real, sim, intervals(real, sim, false), Optional.empty()));
    }

    private MetricResult paired(
            Metric metric, List<Pair> pairs, ToDoubleFunction<Pair> real, ToDoubleFunction<Pair> sim) {
        double[] a = pairs.stream().mapToDouble(real).toArray();
        double[] b = pairs.stream().mapToDouble(sim).toArray();
        Paired errors = new Paired(
                PairedErrors.of(a, b),
                Correlation.pearson(a, b),
                Correlation.spearman(a, b),
                Correlation.kendall(a, b),
                BlandAltman.of(a, b));
        List<Bootstrap.Intervals> intervals = intervals(a, b, true);
        Arrays.sort(a);
        Arrays.sort(b);
        return result(metric, a, b, intervals, Optional.of(errors));
    }

    private List<Bootstrap.Intervals> intervals(double[] a, double[] b, boolean together) {
        int resamples = resamples(a, b);
        if (resamples == 0) {
            return List.of();
        }
        Bootstrap boot = new Bootstrap(resamples, LEVEL, bootstrap.seed());
        List<Bootstrap.Statistic> wanted =
                Statistic.ALL.stream().map(Statistic::forBootstrap).toList();
        return together ? boot.paired(a, b, wanted) : boot.independent(a, b, wanted);
    }

    /** Creates a metric from ascending values. The arrays are kept without a copy, because token gaps may be many. */
    private MetricResult result(
            Metric metric, double[] real, double[] sim, List<Bootstrap.Intervals> intervals, Optional<Paired> paired) {
        List<MetricResult.Row> rows = new ArrayList<>();
        for (int i = 0; i < Statistic.ALL.size(); i++) {
            rows.add(row(
                    Statistic.ALL.get(i), real, sim, intervals.stream().skip(i).findFirst()));
        }
        return new MetricResult(
                metric,
                real,
                sim,
                rows,
                Distances.kolmogorovSmirnov(real, sim),
                Distances.wasserstein1(real, sim),
                paired,
                resamples(real, sim));
    }

    private static MetricResult.Row row(
            Statistic statistic, double[] real, double[] sim, Optional<Bootstrap.Intervals> intervals) {
        int n = Math.min(real.length, sim.length);
        boolean reliable = statistic.isMean() || Quantiles.reliable(n, statistic.quantile());
        return new MetricResult.Row(statistic, value(statistic, real), value(statistic, sim), intervals, reliable);
    }

    /** Returns a statistic of ascending values. */
    static double value(Statistic statistic, double[] sorted) {
        Objects.requireNonNull(sorted);
        return statistic.isMean() ? Moments.mean(sorted) : Quantiles.ofSorted(sorted, statistic.quantile());
    }

    /**
     * Returns the requested number of resamples, limited to about twenty million draws, or none if the limit leaves too
     * few.
     */
    private int resamples(double[] a, double[] b) {
        int affordable = (int) Math.min(bootstrap.resamples(), DRAWS / Math.max(a.length, b.length));
        return affordable < MIN_RESAMPLES ? 0 : affordable;
    }
}
