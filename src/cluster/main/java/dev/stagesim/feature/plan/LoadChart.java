package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.report.Axis;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Layer;
import dev.stagesim.report.Layer.Style;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Draws the metrics of an SLO over the load, as shares of their limits. */
final class LoadChart {
    private LoadChart() {}

    static Chart of(String unit, Slo slo, List<DeploymentResult> all) {
        List<DeploymentResult> simulations =
                all.stream().filter(DeploymentResult::keepsUp).toList();
        double[] loads =
                simulations.stream().mapToDouble(DeploymentResult::load).toArray();
        List<SloBound> bounds =
                slo.bounds().stream().limit(Style.values().length).toList();
        double max = bounds.stream()
                .flatMapToDouble(bound -> Arrays.stream(shares(simulations, bound)))
                .reduce(100, Math::max);
        Axis x = Axis.fromZero("load (" + unit + ")", loads);
        Chart chart = new Chart(
                "loads",
                "Metrics over the load",
                "Metrics of the SLO as shares of their limits, at the simulated loads.",
                x,
                Axis.fromZero("share of the limit (%)", max));
        for (SloBound bound : bounds) {
            Style style = Style.values()[bounds.indexOf(bound)];
            double[] shares = shares(simulations, bound);
            List<String> titles = Collections.nCopies(loads.length, bound.label());
            chart = chart.with(bound.label(), new Layer.Line(style, loads, shares, false))
                    .with("", new Layer.Marks(style, loads, shares, titles));
        }
        return chart.with("", new Layer.Reference(0, 100, x.high(), 100));
    }

    private static double[] shares(List<DeploymentResult> simulations, SloBound bound) {
        return simulations.stream()
                .mapToDouble(result -> 100 * result.value(bound) / bound.limit())
                .toArray();
    }
}
