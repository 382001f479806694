package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.Slo.Bound;
import dev.stagesim.feature.plan.Trials.Trial;
import dev.stagesim.report.chart.Axis;
import dev.stagesim.report.chart.Chart;
import dev.stagesim.report.chart.Layer;
import dev.stagesim.report.chart.Layer.Style;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Draws figures over loads, as shares of their bounds. */
final class LoadChart {
    private LoadChart() {}

    static Chart of(Slo slo, List<Trial> all) {
        List<Trial> trials = all.stream().filter(Trial::keepsUp).toList();
        double[] loads = trials.stream().mapToDouble(Trial::load).toArray();
        List<Bound> bounds = slo.bounds().stream().limit(Style.values().length).toList();
        double most = bounds.stream()
                .flatMapToDouble(bound -> Arrays.stream(shares(trials, bound)))
                .reduce(100, Math::max);
        Axis x = Axis.fromZero("load (requests/s)", loads);
        Chart chart = new Chart(
                "loads",
                "Figures over the load",
                "Each figure of the service level as a share of its limit, at the simulated loads.",
                x,
                Axis.fromZero("share of the limit (%)", most));
        for (Bound bound : bounds) {
            Style style = Style.values()[bounds.indexOf(bound)];
            double[] shares = shares(trials, bound);
            List<String> titles = Collections.nCopies(loads.length, bound.words());
            chart = chart.with(bound.words(), new Layer.Line(style, loads, shares, false))
                    .with("", new Layer.Marks(style, loads, shares, titles));
        }
        return chart.with("", new Layer.Reference(0, 100, x.high(), 100));
    }

    private static double[] shares(List<Trial> trials, Bound bound) {
        return trials.stream()
                .mapToDouble(trial -> 100 * trial.value(bound) / bound.most())
                .toArray();
    }
}
