package dev.stagesim.report;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Interactive page sections for a table of sweep jobs: sorting, filters, and charts of selected columns. They work
 * offline. The table also works without the script of the page.
 */
public final class Explorer {
    /** Maximum number of displayed rows. The page reports omitted rows. */
    static final int MAX_ROWS = 5000;

    private static final List<String> HIGHER_IS_BETTER =
            List.of("throughput", "per_device", "completed", "mfu", "utili");

    /** The content of a section. */
    record Part(String id, Markup markup) {}

    private final List<String> keys;
    private final List<String> figures;
    private final List<JsonValue> columns = new ArrayList<>();
    private final List<JsonValue> rows = new ArrayList<>();
    private final DataTable table = new DataTable("Metrics to five digits");
    private int leftOut;

    /**
     * Creates an empty table.
     *
     * @param first heading of the column with the row numbers
     * @param keys keys that differ between rows
     * @param labels further text columns
     * @param figures metrics
     */
    public Explorer(String first, Collection<String> keys, Collection<String> labels, Collection<String> figures) {
        this.keys = List.copyOf(keys);
        this.figures = List.copyOf(figures);
        column("label", first);
        column("front", "Pareto");
        keys.forEach(key -> column("key", key));
        labels.forEach(label -> column("label", label));
        figures.forEach(figure -> column("figure", figure));
    }

    /** Returns true if a lower value of the metric is better. */
    public static boolean lowerIsBetter(String figure) {
        String name = figure.toLowerCase(Locale.ROOT);
        return HIGHER_IS_BETTER.stream().noneMatch(name::contains);
    }

    private void column(String kind, String name) {
        JsonObjectBuilder column = JsonValue.object().put("name", name).put("kind", kind);
        boolean isFigure = kind.equals("figure");
        columns.add((isFigure ? column.put("least", lowerIsBetter(name)) : column).build());
        if (isFigure) {
            table.number(name);
        } else {
            table.text(name);
        }
    }

    /** Adds a row, unless there are {@link #MAX_ROWS}. */
    public Explorer row(int number, Map<String, String> values, List<String> labels, Map<String, Double> results) {
        if (rows.size() == MAX_ROWS) {
            leftOut++;
            return this;
        }
        List<String> words = new ArrayList<>(List.of(Integer.toString(number), ""));
        keys.forEach(key -> words.add(values.getOrDefault(key, "")));
        words.addAll(labels);
        List<JsonValue> cells = new ArrayList<>();
        words.forEach(word -> cells.add(cell(word)));
        for (String figure : figures) {
            Double value = results.get(figure);
            cells.add(value == null ? JsonValue.of("") : cell(value.toString()));
            words.add(value == null ? "" : Numbers.significant(value, 5));
        }
        rows.add(JsonValue.of(cells));
        table.row(words.toArray(String[]::new));
        return this;
    }

    private static JsonValue cell(String text) {
        try {
            double value = Double.parseDouble(text);
            return Double.isFinite(value) ? JsonValue.of(value) : JsonValue.of(text);
        } catch (NumberFormatException e) {
            return JsonValue.of(text);
        }
    }

    /** Adds the styles, data and script of the sections to a page. */
    void equip(Page page) {
        JsonObjectBuilder data = JsonValue.object().put("columns", JsonValue.of(columns));
        page.style(Page.resource("explore.css"));
        page.data(
                "explore-data",
                Json.compact(data.put("rows", JsonValue.of(rows)).build()));
        page.script(Page.resource("explore.js"));
    }

    /**
     * Returns the sections by heading: a line chart over one key, a heatmap over two keys, and also parallel coordinates
     * over more.
     */
    Map<String, Part> parts() {
        Map<String, Part> parts = new LinkedHashMap<>();
        if (keys.size() == 1 && !figures.isEmpty()) {
            Markup line = selects("explore-metric", "metric ").add(holder("explore-line"));
            parts.put("Metrics over " + keys.get(0), new Part("line", line));
        }
        if (keys.size() == 2) {
            parts.put("Heatmap", new Part("heat", heat()));
        }
        parts.put("Scatter plot", new Part("charts", scatter()));
        if (keys.size() > 2) {
            parts.put("Parallel coordinates", new Part("parallel", holder("explore-parallel")));
            parts.put("Heatmap", new Part("heat", heat()));
        }
        parts.put("All rows", new Part("results", table()));
        return parts;
    }

    private static Markup holder(String id) {
        return new Markup().open("div", "id", id).close().line();
    }

    private Markup scatter() {
        Markup out = selects("explore-x", "across ", "explore-y", "up ");
        if (figures.isEmpty() || rows.isEmpty()) {
            return out.leaf("p", "No row has a metric.").line();
        }
        String meaning = "Pareto-optimal jobs are highlighted; a latency, a price or a count of restarts is better when"
                + " small, a throughput when great.";
        out.leaf("p", meaning, "class", "faint").add(holder("explore-scatter"));
        return out.leaf("h3", "Pareto front")
                .open("ul", "id", "explore-front")
                .close()
                .line();
    }

    private Markup heat() {
        Markup out = selects("explore-row", "down ", "explore-col", "across ", "explore-heat", "figure ");
        return out.add(holder("explore-heatmap"));
    }

    private static Markup selects(String... idsAndLabels) {
        Markup out = new Markup().open("div", "class", "explore-controls explore");
        for (int i = 0; i < idsAndLabels.length; i += 2) {
            out.open("label").text(idsAndLabels[i + 1]);
            out.open("select", "id", idsAndLabels[i]).close().close();
        }
        return out.close().line();
    }

    private Markup table() {
        String hint = "words, or comparisons such as ttft_p99_ms<500 scheduler=vllm";
        Markup out = new Markup().open("div", "class", "explore explore-table");
        out.open("label").text("filter ");
        out.open("input", "id", "explore-filter", "type", "search", "placeholder", hint)
                .close();
        out.open("span", "id", "explore-count", "class", "faint").close().line();
        if (leftOut > 0) {
            String note = String.format(
                    Locale.ROOT,
                    "The first %,d of %,d rows are shown; the CSV file has all.",
                    MAX_ROWS,
                    MAX_ROWS + leftOut);
            out.leaf("p", note, "class", "faint").line();
        }
        return out.add(table.html()).close().line();
    }
}
