package dev.stagesim.feature.suite.report;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.feature.suite.compare.SuiteErrorTables;
import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import dev.stagesim.feature.suite.measured.PredictionError;
import dev.stagesim.report.Axis;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Charts;
import dev.stagesim.report.Layer;
import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** Charts of a suite report. */
final class SuiteReportCharts {
    private static final String FITTED = "fitted on other families";

    private SuiteReportCharts() {}

    /** Charts of predicted against measured steps, and of the families' error factors. */
    static List<Chart> all(List<PredictionError> rows) {
        List<PredictionError> known =
                rows.stream().filter(row -> row.rooflineFold().isPresent()).toList();
        List<Chart> charts = new ArrayList<>();
        if (known.isEmpty()) {
            return charts;
        }
        charts.add(steps(known));
        // A single family has no other family for a fit.
        Map<String, List<PredictionError>> families = new LinkedHashMap<>(PredictionError.families(known));
        families.values().removeIf(of -> SuiteErrorTables.median(of, PredictionError::heldOutFold)
                .isEmpty());
        if (!families.isEmpty()) {
            charts.add(families(families));
        }
        return charts;
    }

    private static Chart steps(List<PredictionError> rows) {
        List<PredictionError> fitted =
                rows.stream().filter(row -> row.heldOut().isPresent()).toList();
        double[] measured =
                values(rows.stream().mapToDouble(row -> row.workload().measured()));
        double[] roofline =
                values(rows.stream().mapToDouble(row -> row.workload().roofline()));
        double[] fittedOn =
                values(fitted.stream().mapToDouble(row -> row.workload().measured()));
        double[] heldOut =
                values(fitted.stream().mapToDouble(row -> row.heldOutNs().orElse(0.0)));
        double[] both = Stream.of(measured, roofline, heldOut)
                .flatMapToDouble(Arrays::stream)
                .toArray();
        Axis x = Axis.fit("measured (ms)", both);
        Axis y = Axis.fit("predicted (ms)", both);
        return new Chart(
                        "steps",
                        "Total layer time of a step",
                        "Predicted against measured time of all layers. Each mark is a workload with one prediction. The dotted line marks equal times.",
                        x,
                        y)
                .with("", new Layer.Reference(x.low(), y.low(), x.high(), y.high()))
                .with("roofline", new Layer.Marks(Layer.Style.FIRST, measured, roofline, titles(rows, roofline)))
                .with(FITTED, new Layer.Marks(Layer.Style.SECOND, fittedOn, heldOut, titles(fitted, heldOut)));
    }

    private static double[] values(DoubleStream nanos) {
        return nanos.map(ns -> ns / NS_PER_MS).toArray();
    }

    private static List<String> titles(List<PredictionError> rows, double[] predicted) {
        List<String> titles = new ArrayList<>();
        for (int i = 0; i < predicted.length; i++) {
            MeasuredWorkload workload = rows.get(i).workload();
            titles.add(workload.label() + ": measured " + Numbers.significant(workload.measured() / NS_PER_MS, 3)
                    + ", predicted " + Numbers.significant(predicted[i], 3) + " ms");
        }
        return titles;
    }

    private static Chart families(Map<String, List<PredictionError>> families) {
        return Charts.bars(
                new Charts.Subject(
                        "families",
                        "Error factor by family",
                        "Median error factor of the predicted layer times, by family; 1 is no error.",
                        "factor (1 is no error)",
                        "roofline",
                        FITTED),
                List.copyOf(families.keySet()),
                factors(families, PredictionError::rooflineFold),
                factors(families, PredictionError::heldOutFold),
                1);
    }

    private static double[] factors(
            Map<String, List<PredictionError>> families, Function<PredictionError, Optional<Double>> figure) {
        return families.values().stream()
                .mapToDouble(of -> SuiteErrorTables.median(of, figure).orElseThrow())
                .toArray();
    }
}
