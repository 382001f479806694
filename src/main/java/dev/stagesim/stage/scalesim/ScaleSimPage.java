package dev.stagesim.stage.scalesim;

import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Page;
import dev.stagesim.report.chart.Axis;
import dev.stagesim.report.chart.Chart;
import dev.stagesim.report.chart.Layer;
import dev.stagesim.report.chart.SvgChart;
import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.LayerFigures;
import dev.stagesim.sim.systolic.MemoryMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A run as one HTML page: the answer, utilisation by layer, the roofline, and the figures. */
final class ScaleSimPage {
    private static final int ROW = 22;
    private static final int NAME = 180;
    private static final int CELL = 120;

    private final ArraySpec array;
    private final List<LayerRow> rows;
    private final ScaleSimSummary summary;

    ScaleSimPage(ArraySpec array, List<LayerRow> rows, ScaleSimSummary summary) {
        this.array = array;
        this.rows = rows;
        this.summary = summary;
    }

    String html() {
        Markup banner = new Markup().open("div", "class", "verdict");
        banner.leaf("p", summary.sentence(), "class", "word")
                .leaf("p", summary.difference())
                .close();
        Page page = new Page("Layers on a systolic array", banner);
        if (!rows.isEmpty()) {
            page.section("utilisation", "Utilisation by layer", heatMap());
            page.section("roofline", "Roofline", roofline());
        }
        page.section("layers", "Layers", summary.table().html());
        return page.footer("Stagesim · scale_sim").html();
    }

    /** Layers down, utilisations across; the darker a cell, the more of the array is used. */
    private Markup heatMap() {
        int height = (rows.size() + 1) * ROW + 4;
        int width = NAME + 3 * CELL;
        Markup out = new Markup().open("div", "class", "scroll", "tabindex", "0");
        out.open(
                "svg",
                "class",
                "chart",
                "role",
                "img",
                "width",
                Integer.toString(width),
                "height",
                Integer.toString(height),
                "viewBox",
                "0 0 " + width + " " + height);
        out.leaf("title", "Overall utilisation, mapping efficiency and compute utilisation of each layer in percent");
        String[] names = {"Overall %", "Mapping %", "Compute %"};
        for (int i = 0; i < names.length; i++) {
            label(out, NAME + i * CELL + 4, ROW - 6, names[i]);
        }
        for (int i = 0; i < rows.size(); i++) {
            heatRow(out, i, rows.get(i).figures());
        }
        return out.close().close();
    }

    private static void heatRow(Markup out, int i, LayerFigures figures) {
        label(out, 0, (i + 2) * ROW - 6, shortened(figures.layer().name()));
        double[] shares = {figures.overallUtilization(), figures.mappingEfficiency(), figures.computeUtilization()};
        for (int k = 0; k < shares.length; k++) {
            int x = NAME + k * CELL;
            double opacity = Math.max(0.04, Math.min(1, shares[k] / 100));
            out.shape(
                    "rect",
                    "x",
                    Integer.toString(x),
                    "y",
                    Integer.toString((i + 1) * ROW),
                    "width",
                    Integer.toString(CELL / 2),
                    "height",
                    Integer.toString(ROW - 2),
                    "fill",
                    "var(--s1)",
                    "fill-opacity",
                    Numbers.fixed(opacity, 3));
            label(out, x + CELL / 2 + 6, (i + 2) * ROW - 6, Numbers.fixed(shares[k], 1));
        }
    }

    private static void label(Markup out, int x, int y, String text) {
        out.leaf("text", text, "x", Integer.toString(x), "y", Integer.toString(y));
    }

    private static String shortened(String name) {
        return name.length() <= 24 ? name : name.substring(0, 23) + "…";
    }

    private Markup roofline() {
        double[] intensity = rows.stream()
                .mapToDouble(row -> Math.max(1e-3, row.doneMacs() / row.dramWords()))
                .toArray();
        double[] rate = rows.stream()
                .mapToDouble(row ->
                        Math.max(1e-3, row.doneMacs() * 100 / row.figures().totalCycles() / cells()))
                .toArray();
        double peak = 100;
        double low = power(least(intensity) / 2, false);
        double high = power(most(intensity) * 2, true);
        double floor = power(Math.min(least(rate), peak) / 2, false);
        Axis x = new Axis("Arithmetic intensity (MACs per DRAM word)", low, high, true);
        Axis y = new Axis("Rate (% of the array's peak)", floor, power(peak * 2, true), true);
        List<String> titles = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            titles.add(rows.get(i).figures().layer().name() + ": " + Numbers.significant(rate[i], 4) + " % of peak at "
                    + Numbers.significant(intensity[i], 4) + " MACs per word");
        }
        List<Layer> layers = new ArrayList<>();
        layers.add(roof(low, high, floor, peak));
        layers.add(new Layer.Marks(Layer.Style.FIRST, intensity, rate, titles));
        Chart chart = new Chart(
                "roofline",
                "Rate reached over arithmetic intensity",
                "Each mark is a layer; the line is the array's peak of " + Numbers.count((long) cells())
                        + " multiply-accumulates per cycle, and the interface's bandwidth where it is given.",
                x,
                y,
                Map.of(),
                layers,
                List.of(
                        new Chart.Entry(Layer.Style.SECOND, "roof", Chart.Sample.LINE),
                        new Chart.Entry(Layer.Style.FIRST, "layer", Chart.Sample.MARK)));
        return new Markup()
                .open("div", "class", "charts")
                .add(SvgChart.figure(chart))
                .close();
    }

    private double cells() {
        return (double) array.rows() * array.columns();
    }

    private Layer roof(double low, double high, double floor, double peak) {
        if (array.mode() == MemoryMode.CALC) {
            return new Layer.Line(Layer.Style.SECOND, new double[] {low, high}, new double[] {peak, peak}, false);
        }
        double bandwidth = (double) array.image().bandwidth()
                + array.filter().bandwidth()
                + array.output().bandwidth();
        bandwidth *= 100 / cells();
        double from = Math.max(low, floor / bandwidth);
        double knee = peak / bandwidth;
        if (knee <= from || knee >= high) {
            double[] ends = {Math.min(peak, from * bandwidth), Math.min(peak, high * bandwidth)};
            return new Layer.Line(Layer.Style.SECOND, new double[] {from, high}, ends, false);
        }
        return new Layer.Line(
                Layer.Style.SECOND,
                new double[] {from, knee, high},
                new double[] {from * bandwidth, peak, peak},
                false);
    }

    private static double least(double[] values) {
        return java.util.Arrays.stream(values).min().orElse(1);
    }

    private static double most(double[] values) {
        return java.util.Arrays.stream(values).max().orElse(1);
    }

    private static double power(double value, boolean up) {
        double exponent = Math.log10(value);
        return Math.pow(10, up ? Math.ceil(exponent) : Math.floor(exponent));
    }
}
