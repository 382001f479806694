package dev.stagesim.stage.vidursim;

import dev.stagesim.report.Axis;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Charts;
import dev.stagesim.report.Layer;
import dev.stagesim.report.Layer.Line;
import dev.stagesim.report.Layer.Spans;
import dev.stagesim.report.Layer.Style;
import dev.stagesim.report.Numbers;
import dev.stagesim.stage.vidursim.ReportSeries.Execution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The charts of a simulated run. */
final class SimCharts {
    private static final String SECONDS = "time since the first arrival (s)";
    private static final double EDGE = 0.1;

    private SimCharts() {}

    /** Returns the distribution of latencies, which must be sorted and not empty. */
    static Chart cdf(String name, String title, double[] sortedMs) {
        String what = "Cumulative distribution of the " + title.toLowerCase(Locale.ROOT) + " of completed requests";
        return Charts.distribution(new Charts.Subject(name, title, what, "ms", "", ""), sortedMs);
    }

    /** Returns the maximum and mean number of requests over time. */
    static Chart requests(String name, String title, String quantity, TimeBins bins) {
        return steps(name, title, quantity, bins, Axis.counts(quantity, values(bins, true)));
    }

    /** Returns the maximum and mean of a quantity over time. */
    static Chart steps(String name, String title, String quantity, TimeBins bins) {
        return steps(name, title, quantity, bins, Axis.fromZero(quantity, values(bins, true)));
    }

    private static Chart steps(String name, String title, String quantity, TimeBins bins, Axis height) {
        return new Chart(
                        name,
                        title,
                        "Maximum and mean " + quantity + " in each of " + bins.size() + " equal intervals of the run",
                        Axis.upTo(SECONDS, bins.from(bins.size())),
                        height)
                .with("greatest", new Line(Style.FIRST, times(bins), values(bins, true), true))
                .with("mean", new Line(Style.SECOND, times(bins), values(bins, false), true));
    }

    /** Returns the number of events in each interval. */
    static Chart counts(String name, String title, String quantity, TimeBins bins) {
        double[] x = new double[bins.size() + 1];
        double[] y = new double[bins.size() + 1];
        for (int bin = 0; bin < bins.size(); bin++) {
            x[bin] = bins.from(bin);
            y[bin] = bins.sum(bin);
        }
        x[bins.size()] = bins.from(bins.size());
        return new Chart(
                        name,
                        title,
                        quantity + " in each of " + bins.size() + " equal intervals of the run",
                        Axis.upTo(SECONDS, bins.from(bins.size())),
                        Axis.counts(quantity, y))
                .with("", new Line(Style.FIRST, x, y, true));
    }

    private static double[] times(TimeBins bins) {
        double[] times = new double[filled(bins) + 1];
        int at = 0;
        for (int bin = 0; bin < bins.size(); bin++) {
            if (bins.hasSamples(bin)) {
                times[at++] = bins.from(bin);
            }
        }
        times[at] = bins.from(bins.size());
        return times;
    }

    /** Returns a value per interval with samples; the last value extends to the end. */
    private static double[] values(TimeBins bins, boolean isMaximum) {
        double[] values = new double[filled(bins) + 1];
        int at = 0;
        for (int bin = 0; bin < bins.size(); bin++) {
            if (bins.hasSamples(bin)) {
                values[at++] = isMaximum ? bins.greatest(bin) : bins.mean(bin);
            }
        }
        values[at] = at == 0 ? 0 : values[at - 1];
        return values;
    }

    private static int filled(TimeBins bins) {
        int filled = 0;
        for (int bin = 0; bin < bins.size(); bin++) {
            filled += bins.hasSamples(bin) ? 1 : 0;
        }
        return filled;
    }

    /** Returns the batches of all stages, each as a rectangle. */
    static Chart gantt(String title, ReportSeries timeline) {
        List<Execution> prompts = new ArrayList<>();
        List<Execution> outputs = new ArrayList<>();
        double end = 0;
        for (Execution execution : timeline.executions) {
            (execution.promptTokens() > 0 ? prompts : outputs).add(execution);
            end = Math.max(end, execution.to());
        }
        return lanes(
                "gantt",
                title,
                "Batches on the stages of the replicas over time; with prompt tokens or with output tokens only",
                timeline,
                end,
                List.of(batches(Style.FIRST, prompts, timeline), batches(Style.SECOND, outputs, timeline)));
    }

    private static Spans batches(Style style, List<Execution> executions, ReportSeries timeline) {
        int n = executions.size();
        double[][] box = new double[4][n];
        List<String> titles = new ArrayList<>(n);
        for (int i = 0; i < n; i++) {
            Execution e = executions.get(i);
            box[0][i] = e.from();
            box[1][i] = e.to();
            box[2][i] = timeline.lanes - 1 - e.lane() + EDGE;
            box[3][i] = timeline.lanes - e.lane() - EDGE;
            titles.add("batch " + e.batch() + ": " + e.requests() + " requests, " + e.tokens() + " tokens ("
                    + e.promptTokens() + " of prompts), " + Numbers.significant(1e3 * (e.to() - e.from()), 3) + " ms");
        }
        return new Spans(style, box[0], box[1], box[2], box[3], titles);
    }

    /** Returns the utilisation of all stages in each interval; the height of a column is the share of time. */
    static Chart busy(ReportSeries timeline) {
        List<Layer> layers = new ArrayList<>();
        double end = 0;
        for (int lane = 0; lane < timeline.lanes; lane++) {
            double floor = timeline.lanes - 1 - lane + EDGE;
            TimeBins prompts = timeline.prompts[lane];
            TimeBins outputs = timeline.outputs[lane];
            double[] low = new double[outputs.size()];
            Arrays.fill(low, floor);
            layers.add(columns(Style.FIRST, prompts, low));
            for (int bin = 0; bin < low.length; bin++) {
                low[bin] += prompts.share(bin) * (1 - 2 * EDGE);
            }
            layers.add(columns(Style.SECOND, outputs, low));
            end = Math.max(end, Math.max(prompts.from(prompts.size()), outputs.from(outputs.size())));
        }
        return lanes(
                "busy",
                "Share of time with a batch, whole run",
                "Utilisation of each stage over the run; full height is 100 %",
                timeline,
                end,
                layers);
    }

    private static Spans columns(Style style, TimeBins bins, double[] floors) {
        int n = bins.size();
        double[] from = new double[n];
        double[] to = new double[n];
        double[] low = Arrays.copyOf(floors, n);
        double[] high = new double[n];
        for (int bin = 0; bin < n; bin++) {
            from[bin] = bins.from(bin);
            to[bin] = bins.from(bin + 1);
            high[bin] = low[bin] + bins.share(bin) * (1 - 2 * EDGE);
        }
        return new Spans(style, from, to, low, high, java.util.Collections.nCopies(n, ""));
    }

    private static Chart lanes(
            String name, String title, String description, ReportSeries timeline, double end, List<Layer> layers) {
        Map<Double, String> rows = new TreeMap<>();
        for (int lane = 0; lane < timeline.lanes; lane++) {
            rows.put(timeline.lanes - lane - 0.5, timeline.laneName(lane));
        }
        Axis height = new Axis("", 0, timeline.lanes, false);
        Chart chart = new Chart(name, title, description, Axis.upTo(SECONDS, end), height).withRows(rows);
        for (int i = 0; i < layers.size(); i++) {
            chart = chart.with(i == 0 ? "with prompts" : i == 1 ? "outputs only" : "", layers.get(i));
        }
        return chart;
    }
}
