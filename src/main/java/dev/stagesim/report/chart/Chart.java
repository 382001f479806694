package dev.stagesim.report.chart;

import java.util.List;
import java.util.Map;

/**
 * A finished chart: what it shows and what is in it.
 *
 * @param name file name without ending, and prefix of the ids inside; lower-case words with dashes
 * @param title heading above the plot
 * @param description the chart in one or two sentences, for those who cannot see it
 * @param x horizontal axis
 * @param y vertical axis
 * @param rows names of categories on the vertical axis by position; empty when it has numbers
 * @param layers what is drawn, from back to front
 * @param legend names of the series, in order
 */
public record Chart(
        String name,
        String title,
        String description,
        Axis x,
        Axis y,
        Map<Double, String> rows,
        List<Layer> layers,
        List<Entry> legend) {
    /** One line of the legend. */
    public record Entry(Layer.Style style, String name, Sample sample) {}

    /** What the legend shows of a series. */
    public enum Sample {
        LINE,
        MARK,
        BAR,
        SPAN
    }

    public Chart {
        rows = java.util.Collections.unmodifiableMap(new java.util.TreeMap<>(rows));
        layers = List.copyOf(layers);
        legend = List.copyOf(legend);
    }
}
