package dev.stagesim.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A chart: texts, axes and layers.
 *
 * @param name file name without extension, and prefix of the ids inside; lower-case words with dashes
 * @param title heading above the plot
 * @param description the chart in one or two sentences, for screen readers
 * @param x horizontal axis
 * @param y vertical axis
 * @param rows names of categories on the vertical axis by position; empty for a numeric axis
 * @param layers the layers, from back to front
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
    record Entry(Layer.Style style, String name, Sample sample) {}

    /** The symbol of a series in the legend. */
    enum Sample {
        LINE,
        MARK,
        BAR,
        RANGE,
        SPAN
    }

    /** Creates a chart without layers. */
    public Chart(String name, String title, String description, Axis x, Axis y) {
        this(name, title, description, x, y, Map.of(), List.of(), List.of());
    }

    public Chart {
        rows = java.util.Collections.unmodifiableMap(new java.util.TreeMap<>(rows));
        layers = List.copyOf(layers);
        legend = List.copyOf(legend);
    }

    /**
     * Returns the chart with another layer in front.
     *
     * @param series name of the layer in the legend; empty to omit it
     */
    public Chart with(String series, Layer layer) {
        List<Layer> drawn = new ArrayList<>(layers);
        drawn.add(layer);
        List<Entry> named = new ArrayList<>(legend);
        if (!series.isEmpty()) {
            named.add(new Entry(layer.style(), series, sample(layer)));
        }
        named.sort(Comparator.comparing(Entry::style));
        return new Chart(name, title, description, x, y, rows, drawn, named);
    }

    private static Sample sample(Layer layer) {
        return layer instanceof Layer.Line
                ? Sample.LINE
                : layer instanceof Layer.Marks
                        ? Sample.MARK
                        : layer instanceof Layer.Bars
                                ? Sample.BAR
                                : layer instanceof Layer.Whiskers ? Sample.RANGE : Sample.SPAN;
    }

    /** Returns the chart with names of categories on the vertical axis by position. */
    public Chart withRows(Map<Double, String> names) {
        return new Chart(name, title, description, x, y, names, layers, legend);
    }
}
