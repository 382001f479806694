package dev.stagesim.feature.scalesim;

import dev.stagesim.report.Axis;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Drawing;
import dev.stagesim.report.Layer;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Charts of the layers: utilisation per layer, roofline, and utilisation over the run. */
record LayerCharts(ArraySpec array, List<LayerRow> rows) {
    private static final int ROW = 22;
    private static final int EDGE = 10;
    private static final int NAME = 190;
    private static final int CELL = 120;
    private static final double PEAK = 100;
    /** Top of the roofline chart, in percent. */
    private static final double TOP = 200;

    private static final double MIN_RATE = 1e-3;

    /** Draws layers as rows and utilisations as columns; darker cells mean higher utilisation. */
    Markup heatMap() {
        int height = (rows.size() + 1) * ROW + 4;
        int width = NAME + 3 * CELL;
        String title = "Overall utilisation, mapping efficiency and compute utilisation of each layer in percent";
        Drawing out = new Drawing(width, height, title);
        String[] names = {"Overall %", "Mapping %", "Compute %"};
        for (int i = 0; i < names.length; i++) {
            out.text(NAME + i * CELL + 4, ROW - 6, "start", names[i]);
        }
        for (int i = 0; i < rows.size(); i++) {
            heatRow(out, i, rows.get(i).figures());
        }
        return out.build();
    }

    private static void heatRow(Drawing out, int i, LayerMetrics figures) {
        out.text(EDGE, (i + 2) * ROW - 6, "start", shortened(figures.layer().name()));
        double[] shares = {figures.overallUtilization(), figures.mappingEfficiency(), figures.computeUtilization()};
        for (int k = 0; k < shares.length; k++) {
            int x = NAME + k * CELL;
            double opacity = Math.max(0.04, Math.min(1, shares[k] / 100));
            out.tint(x, (i + 1) * ROW, CELL / 2, ROW - 2, "", "var(--s1)", opacity);
            out.text(x + CELL / 2 + 6, (i + 2) * ROW - 6, "start", Numbers.fixed(shares[k], 1));
        }
    }

    private static String shortened(String name) {
        return name.length() <= 24 ? name : name.substring(0, 23) + "…";
    }

    private double cells() {
        return (double) array.rows() * array.columns();
    }

    private double rate(LayerRow row) {
        return Math.max(MIN_RATE, row.doneMacs() * PEAK / row.cycles() / cells());
    }

    Chart roofline() {
        double[] intensity = rows.stream()
                .mapToDouble(row -> Math.max(MIN_RATE, row.doneMacs() / row.dramWords()))
                .toArray();
        double[] rate = rows.stream().mapToDouble(this::rate).toArray();
        double low = decade(Arrays.stream(intensity).min().orElse(1), false);
        double high = decade(Arrays.stream(intensity).max().orElse(1) * 1.01, true);
        double floor = decade(Math.min(Arrays.stream(rate).min().orElse(PEAK), PEAK / 2), false);
        List<String> titles = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            titles.add(rows.get(i).name() + ": " + Numbers.significant(rate[i], 4) + " % of peak at "
                    + Numbers.significant(intensity[i], 4) + " MACs per word");
        }
        return new Chart(
                        "roofline",
                        "Rate reached over arithmetic intensity",
                        "Each mark is a layer; the line is the array's peak of " + Numbers.count((long) cells())
                                + " multiply-accumulates per cycle, and the interface's bandwidth if it is configured.",
                        new Axis("Arithmetic intensity (MACs per DRAM word)", low, high, true),
                        new Axis("Rate (% of the array's peak)", floor, TOP, true))
                .with("roof", roof(low, high, floor))
                .with("layer", new Layer.Marks(Layer.Style.FIRST, intensity, rate, titles));
    }

    /** Draws the roofline: the compute peak, and the combined bandwidth of the three memories below it. */
    private Layer roof(double low, double high, double floor) {
        if (array.mode() == MemoryMode.CALC) {
            return line(new double[] {low, high}, new double[] {PEAK, PEAK});
        }
        double words = (double) array.image().bandwidth()
                + array.filter().bandwidth()
                + array.output().bandwidth();
        double slope = words * PEAK / cells();
        double knee = PEAK / slope;
        double from = Math.max(low, floor / slope);
        if (knee <= from) {
            return line(new double[] {low, high}, new double[] {PEAK, PEAK});
        }
        return knee >= high
                ? line(new double[] {from, high}, new double[] {from * slope, high * slope})
                : line(new double[] {from, knee, high}, new double[] {from * slope, PEAK, PEAK});
    }

    private static Layer line(double[] x, double[] y) {
        return new Layer.Line(Layer.Style.SECOND, x, y, false);
    }

    /** Draws one column per layer: its width is the cycles, its height the utilisation, so its area is the work. */
    Chart alongTheRun() {
        int n = rows.size();
        double[] from = new double[n];
        double[] to = new double[n];
        double[] high = new double[n];
        List<String> titles = new ArrayList<>();
        double total = rows.stream().mapToDouble(LayerRow::cycles).sum();
        double unit = total >= 1e9 ? 1e9 : total >= 1e6 ? 1e6 : total >= 1e4 ? 1e3 : 1;
        String label = unit == 1e9
                ? "billion cycles"
                : unit == 1e6 ? "million cycles" : unit == 1e3 ? "thousand cycles" : "cycles";
        double at = 0;
        for (int i = 0; i < n; i++) {
            LayerRow row = rows.get(i);
            from[i] = at / unit;
            at += row.cycles();
            to[i] = at / unit;
            high[i] = Math.min(PEAK, rate(row));
            titles.add(
                    row.name() + ": " + Numbers.count(row.cycles()) + " cycles at " + Numbers.fixed(high[i], 1) + " %");
        }
        return new Chart(
                        "along-the-run",
                        "Use of the array along the run",
                        "Layers in order, each as wide as its cycles and as high as the share of the array's peak that it"
                                + " reaches.",
                        Axis.fromZero("Time (" + label + ")", at / unit),
                        Axis.fromZero("Rate (% of the array's peak)", PEAK))
                .with("layer", new Layer.Spans(Layer.Style.FIRST, from, to, new double[n], high, titles));
    }

    private static double decade(double value, boolean isUp) {
        double exponent = Math.log10(value);
        return Math.pow(10, isUp ? Math.ceil(exponent) : Math.floor(exponent));
    }
}
