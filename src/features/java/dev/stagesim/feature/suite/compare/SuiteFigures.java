package dev.stagesim.feature.suite.compare;

import dev.stagesim.feature.suite.measured.Judged;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.stats.Quantiles;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Tables of measured suite workloads that several reports show. */
public final class SuiteFigures {
    private SuiteFigures() {}

    /** How far predictions of every family are off; nothing is fitted on the family itself. */
    public static DataTable families(List<Judged> all) {
        DataTable table = new DataTable("Families, each predicted from the others; median factors that layers are off")
                .columns("Family", "#Workloads", "#Roofline")
                .number("Systolic array", "Products only.")
                .number("Fitted on the others");
        Judged.families(all)
                .forEach((family, of) -> table.row(
                        family,
                        Numbers.count(of.size()),
                        factor(median(of, Judged::rooflineFold)),
                        factor(median(of, Judged::systolicFold)),
                        factor(median(of, Judged::heldOutFold))));
        return table;
    }

    /** Median of a figure over the workloads that have it. */
    public static Optional<Double> median(List<Judged> of, Function<Judged, Optional<Double>> figure) {
        double[] values = of.stream()
                .map(figure)
                .flatMap(Optional::stream)
                .mapToDouble(Double::doubleValue)
                .toArray();
        return values.length == 0 ? Optional.empty() : Optional.of(Quantiles.of(values, 0.5));
    }

    /** Text of a factor. */
    public static String factor(Optional<Double> fold) {
        return fold.map(value -> Numbers.significant(value, 3) + "×").orElse(Numbers.NONE);
    }
}
