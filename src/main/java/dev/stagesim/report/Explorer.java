package dev.stagesim.report;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Sections of a page in which a table of jobs is looked through offline: sorted, filtered, and drawn over the columns that
 * a person chooses. Needs the page's script; the table is there without it.
 */
public final class Explorer {
    /** What a column is. */
    public enum Kind {
        /** The row's number and other words. */
        LABEL,
        /** A key that differs between rows. */
        KEY,
        /** A number that came out. */
        FIGURE
    }

    /** A column: its name and what it is. */
    public record Column(String name, Kind kind) {}

    private final List<Column> columns;
    private final List<List<String>> rows;

    /**
     * Opens a table.
     *
     * @param columns the first is the row's number
     * @param rows texts; a number is one that reads like one, and empty for none
     */
    public Explorer(List<Column> columns, List<List<String>> rows) {
        this.columns = List.copyOf(columns);
        this.rows = rows.stream().map(List::copyOf).toList();
    }

    /** Adds the sections and the script to a page. */
    public void addTo(Page page) {
        boolean figures = columns.stream().anyMatch(column -> column.kind() == Kind.FIGURE) && !rows.isEmpty();
        long keys = columns.stream().filter(column -> column.kind() == Kind.KEY).count();
        page.section("charts", "Scatter plot", scatter(figures));
        page.section("parallel", "Parallel coordinates", part("explore-parallel"));
        page.section("heat", "Heatmap", heat(keys > 0));
        page.section("results", "All rows", table());
        page.style(Page.resource("explore.css"));
        page.data("explore-data", Json.compact(data()));
        page.script(Page.resource("explore.js"));
    }

    private JsonValue data() {
        List<JsonValue> heads = new ArrayList<>();
        columns.forEach(column -> heads.add(JsonValue.object()
                .put("name", column.name())
                .put("kind", column.kind().name().toLowerCase(Locale.ROOT))
                .build()));
        List<JsonValue> lines = new ArrayList<>();
        for (List<String> row : rows) {
            List<JsonValue> cells = new ArrayList<>();
            for (String text : row) {
                cells.add(cell(text));
            }
            lines.add(JsonValue.of(cells));
        }
        return JsonValue.object()
                .put("columns", JsonValue.of(heads))
                .put("rows", JsonValue.of(lines))
                .build();
    }

    private static JsonValue cell(String text) {
        try {
            double value = Double.parseDouble(text);
            return Double.isFinite(value) ? JsonValue.of(value) : JsonValue.of(text);
        } catch (NumberFormatException e) {
            return JsonValue.of(text);
        }
    }

    private static Markup part(String id) {
        return new Markup().open("div", "id", id).close().line();
    }

    private static Markup scatter(boolean figures) {
        Markup out = new Markup().open("div", "class", "explore-controls explore");
        select(out, "explore-x", "across ");
        select(out, "explore-y", "up ");
        out.close().line();
        if (!figures) {
            return out.leaf("p", "No row has a figure.").line();
        }
        out.leaf(
                "p",
                "Pareto-optimal jobs are highlighted; a latency, a price or a count of restarts is"
                        + " better when small, a throughput when great.",
                "class",
                "faint");
        out.open("div", "id", "explore-scatter").close().line();
        return out.leaf("h3", "Pareto front")
                .open("ul", "id", "explore-front")
                .close()
                .line();
    }

    private static Markup heat(boolean keys) {
        Markup out = new Markup().open("div", "class", "explore-controls explore");
        select(out, "explore-row", "down ");
        select(out, "explore-col", "across ");
        select(out, "explore-heat", "figure ");
        out.close().line();
        return keys
                ? out.open("div", "id", "explore-heatmap").close().line()
                : out.leaf("p", "No key differs between the rows.").line();
    }

    private static void select(Markup out, String id, String label) {
        out.open("label").text(label).open("select", "id", id).close().close();
    }

    private Markup table() {
        Markup out = new Markup().open("div", "class", "explore explore-table");
        out.open("label").text("filter ");
        out.open(
                "input",
                "id",
                "explore-filter",
                "type",
                "search",
                "placeholder",
                "words, or comparisons such as ttft_p99_ms<500 scheduler=vllm");
        out.close();
        out.open("span", "id", "explore-count", "class", "faint").close().line();
        out.open("div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", "All rows");
        out.open("table").open("thead").open("tr");
        columns.forEach(column -> out.leaf("th", column.name(), "scope", "col"));
        out.close().close().line().open("tbody").line();
        for (List<String> row : rows) {
            out.open("tr");
            for (int i = 0; i < row.size(); i++) {
                boolean figure = columns.get(i).kind() == Kind.FIGURE;
                out.leaf("td", figure ? shown(row.get(i)) : row.get(i), "class", figure ? "num" : "");
            }
            out.close().line();
        }
        return out.close().close().close().close().line();
    }

    private static String shown(String text) {
        try {
            return Numbers.significant(Double.parseDouble(text), 5);
        } catch (NumberFormatException e) {
            return text;
        }
    }
}
