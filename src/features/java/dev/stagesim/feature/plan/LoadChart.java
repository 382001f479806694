package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.Slo.Bound;
import dev.stagesim.feature.plan.Trials.Trial;
import dev.stagesim.report.chart.Axis;
import dev.stagesim.report.chart.Chart;
import dev.stagesim.report.chart.Layer;
import dev.stagesim.report.chart.Layer.Style;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Draws figures over loads, as shares of their bounds. */
final class LoadChart {
    private LoadChart() {}

    static Chart of(Slo slo, List<Trial> all) {
        List<Trial> trials = all.stream().filter(Trial::keepsUp).toList();
        double[] loads = trials.stream().mapToDouble(Trial::load).toArray();
        List<Layer> layers = new ArrayList<>();
        List<Chart.Entry> legend = new ArrayList<>();
        double most = 100;
        for (Bound bound : slo.bounds().stream().limit(Style.values().length).toList()) {
            Style style = Style.values()[legend.size()];
            double[] shares = trials.stream()
                    .mapToDouble(trial -> 100 * trial.value(bound) / bound.most())
                    .toArray();
            most = Math.max(most, Arrays.stream(shares).max().orElse(0));
            layers.add(new Layer.Line(style, loads, shares, false));
            layers.add(new Layer.Marks(style, loads, shares, Collections.nCopies(loads.length, bound.words())));
            legend.add(new Chart.Entry(style, bound.words(), Chart.Sample.LINE));
        }
        Axis x = Axis.fromZero("load (requests/s)", loads);
        layers.add(new Layer.Reference(0, 100, x.high(), 100));
        return new Chart(
                "loads",
                "Figures over the load",
                "Each figure of the service level as a share of its limit, at the simulated loads.",
                x,
                Axis.fromZero("share of the limit (%)", most),
                Map.of(),
                layers,
                legend);
    }
}
