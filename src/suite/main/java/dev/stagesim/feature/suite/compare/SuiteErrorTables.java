package dev.stagesim.feature.suite.compare;

import dev.stagesim.feature.suite.measured.PredictionError;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.stats.Quantiles;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Tables of measured suite workloads that several reports use. */
public final class SuiteErrorTables {
    private SuiteErrorTables() {}

    /** Prediction errors of every family; the fit excludes the family itself. */
    public static DataTable families(List<PredictionError> all) {
        DataTable table = new DataTable("Median error factors of layers by family; each fit excludes the family")
                .columns("Family", "#Workloads", "#Roofline")
                .number("Systolic array", "Products only.")
                .number("Fitted on other families");
        PredictionError.families(all)
                .forEach((family, of) -> table.row(
                        family,
                        Numbers.count(of.size()),
                        factor(median(of, PredictionError::rooflineFold)),
                        factor(median(of, PredictionError::systolicFold)),
                        factor(median(of, PredictionError::heldOutFold))));
        return table;
    }

    /** Median of a metric over the workloads that have it. */
    public static Optional<Double> median(
            List<PredictionError> of, Function<PredictionError, Optional<Double>> figure) {
        double[] values = of.stream()
                .map(figure)
                .flatMap(Optional::stream)
                .mapToDouble(Double::doubleValue)
                .toArray();
        return values.length == 0 ? Optional.empty() : Optional.of(Quantiles.of(values, 0.5));
    }

    /** Formats a factor. */
    public static String factor(Optional<Double> fold) {
        return fold.map(value -> Numbers.significant(value, 3) + "×").orElse(Numbers.NONE);
    }
}
