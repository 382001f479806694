package dev.stagesim.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A table with a caption and header cells with scope. The table has its own scroll area, so that a wide table never
 * makes the page scroll horizontally. The first cell of a row is its header and remains visible.
 */
public final class DataTable {
    /** The alignment of a column. */
    enum Align {
        TEXT,
        NUMBER
    }

    /**
     * A column.
     *
     * @param heading text of the header cell, with the unit
     * @param align alignment of the values
     * @param hint tooltip; empty if absent
     */
    record Column(String heading, Align align, String hint) {}

    /**
     * A cell.
     *
     * @param text displayed text
     * @param tone CSS class: empty, {@code faint}, {@code good} or {@code bad}
     * @param hint tooltip; empty if absent
     * @param link link target; empty if absent
     * @param note a second, fainter line; empty if absent
     */
    public record Cell(String text, String tone, String hint, String link, String note) {
        public static Cell of(String text) {
            return new Cell(text, "", "", "", "");
        }

        public Cell tone(String newTone) {
            return new Cell(text, newTone, hint, link, note);
        }

        public Cell hint(String newHint) {
            return new Cell(text, tone, newHint, link, note);
        }

        public Cell note(String newNote) {
            return new Cell(text, tone, hint, link, newNote);
        }

        public Cell link(String newLink) {
            return new Cell(text, tone, hint, newLink, note);
        }
    }

    private final String caption;
    private final List<Column> columns = new ArrayList<>();
    private final List<List<Cell>> rows = new ArrayList<>();

    public DataTable(String caption) {
        this.caption = caption;
    }

    /** Adds columns. The prefix {@code #} marks a column of numbers. */
    public DataTable columns(String... headings) {
        for (String heading : headings) {
            if (heading.startsWith("#")) {
                number(heading.substring(1));
            } else {
                text(heading);
            }
        }
        return this;
    }

    public DataTable text(String heading) {
        columns.add(new Column(heading, Align.TEXT, ""));
        return this;
    }

    public DataTable number(String heading) {
        return number(heading, "");
    }

    public DataTable number(String heading, String hint) {
        columns.add(new Column(heading, Align.NUMBER, hint));
        return this;
    }

    /** Adds a row of plain cells. */
    public DataTable row(String... cells) {
        return row(java.util.Arrays.stream(cells).map(Cell::of).toList());
    }

    /** Adds a row of plain cells for each item. */
    public <T> DataTable rows(Iterable<T> items, Function<? super T, List<String>> cells) {
        items.forEach(item -> row(cells.apply(item).toArray(String[]::new)));
        return this;
    }

    /** Adds a row; it must have a cell for every column. */
    public DataTable row(List<Cell> cells) {
        if (cells.size() != columns.size()) {
            throw new IllegalStateException(caption + ": " + cells.size() + " cells in " + columns.size() + " columns");
        }
        rows.add(List.copyOf(cells));
        return this;
    }

    public int size() {
        return rows.size();
    }

    /** Renders the table. */
    Markup html() {
        Markup out = new Markup();
        out.open("div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", "Table: " + caption);
        out.open("table")
                .open("caption")
                .leaf("span", caption)
                .close()
                .line()
                .open("thead")
                .open("tr");
        for (Column column : columns) {
            out.open("th", attributes(column.align(), "", column.hint(), "scope", "col"))
                    .text(column.heading())
                    .close();
        }
        out.close().close().line().open("tbody").line();
        rows.forEach(row -> row(row, out));
        return out.close().close().close().line();
    }

    private void row(List<Cell> cells, Markup out) {
        out.open("tr");
        for (int i = 0; i < cells.size(); i++) {
            Cell cell = cells.get(i);
            Align align = columns.get(i).align();
            if (i == 0) {
                out.open("th", attributes(align, cell.tone(), cell.hint(), "scope", "row"));
            } else {
                out.open("td", attributes(align, cell.tone(), cell.hint()));
            }
            if (cell.link().isEmpty()) {
                out.text(cell.text());
            } else {
                out.leaf("a", cell.text(), "href", cell.link());
            }
            if (!cell.note().isEmpty()) {
                out.open("br").leaf("span", cell.note(), "class", "faint");
            }
            out.close();
        }
        out.close().line();
    }

    private static String[] attributes(Align align, String tone, String hint, String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        String classes = ((align == Align.NUMBER ? "num " : "") + tone).strip();
        if (!classes.isEmpty()) {
            all.addAll(List.of("class", classes));
        }
        if (!hint.isEmpty()) {
            all.addAll(List.of("title", hint));
        }
        return all.toArray(String[]::new);
    }

    /** Renders the table as Markdown, caption first. */
    public String markdown() {
        StringBuilder out = new StringBuilder();
        out.append("**").append(Markdown.escape(caption)).append("**\n\n");
        columns.forEach(
                c -> out.append("| ").append(Markdown.escape(c.heading())).append(' '));
        out.append("|\n");
        columns.forEach(c -> out.append(c.align() == Align.NUMBER ? "|---:" : "|---"));
        out.append("|\n");
        for (List<Cell> row : rows) {
            row.forEach(c -> out.append("| ").append(markdown(c)).append(' '));
            out.append("|\n");
        }
        return out.append('\n').toString();
    }

    private static String markdown(Cell cell) {
        String text = Markdown.escape(cell.text());
        String linked = cell.link().isEmpty() ? text : "[" + text + "](" + cell.link() + ")";
        return cell.note().isEmpty() ? linked : linked + " (" + Markdown.escape(cell.note()) + ")";
    }
}
