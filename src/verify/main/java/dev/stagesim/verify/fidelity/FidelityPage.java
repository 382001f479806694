package dev.stagesim.verify.fidelity;

import dev.stagesim.report.Axis;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Layer;
import dev.stagesim.report.Report;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;

/** The errors on one page: predicted over measured times, and the tables. */
final class FidelityPage {
    private static final int MAX_MARKS = 3000;

    private FidelityPage() {}

    /** The page, without external files. */
    static String html(FidelityReport report) {
        Report page = new Report(report.title()).answer(report.headline()).section("scatter", "Every prediction");
        chart(report, "tpot", "Token time", "ms", page);
        chart(report, "e2e", "End to end", "ms", page);
        chart(report, "throughput", "Throughput", "tokens/s", page);
        return page.section("errors", "Errors")
                .tables(report.tables())
                .section("assumptions", "Assumptions for values that rows do not state")
                .items(report.assumptions())
                .html();
    }

    private static void chart(FidelityReport report, String metric, String title, String unit, Report out) {
        List<RowPrediction> rows = report.judged().stream()
                .filter(each -> each.row().metric().contains(metric))
                .toList();
        if (rows.isEmpty()) {
            return;
        }
        int stride = (rows.size() + MAX_MARKS - 1) / MAX_MARKS;
        List<RowPrediction> shown = new ArrayList<>();
        for (int i = 0; i < rows.size(); i += stride) {
            shown.add(rows.get(i));
        }
        double[] x = shown.stream().mapToDouble(each -> each.row().value()).toArray();
        double[] y = shown.stream().mapToDouble(RowPrediction::predicted).toArray();
        List<String> titles = shown.stream()
                .map(each ->
                        each.row().setup().engine() + ", " + each.row().setup().model() + " on "
                                + each.row().setup().gpu())
                .toList();
        double low = Math.pow(
                10,
                Math.floor(Math.log10(DoubleStream.concat(Arrays.stream(x), Arrays.stream(y))
                        .min()
                        .orElseThrow())));
        double high = Math.pow(
                10,
                Math.ceil(Math.log10(DoubleStream.concat(Arrays.stream(x), Arrays.stream(y))
                        .max()
                        .orElseThrow())));
        Chart chart = new Chart(
                        "fidelity-" + metric,
                        title + ": predicted over measured",
                        rows.size() + " predictions. Points on the line equal the measurement.",
                        new Axis("measured, " + unit, low, high, true),
                        new Axis("predicted, " + unit, low, high, true))
                .with("", new Layer.Reference(low, low, high, high))
                .with(title, new Layer.Marks(Layer.Style.FIRST, x, y, titles));
        out.charts(chart);
    }
}
