package dev.stagesim.table;

import dev.stagesim.cli.TableTool;
import dev.stagesim.contract.ColumnType;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.json.Json;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tech.tablesaw.api.Table;

/** Implements {@code stage table}. Streams rows if possible; other queries load the table into Tablesaw. */
public final class TableAnswers implements TableTool {
    static {
        // Tablesaw uses SLF4J. The product has no logger, so the warning about a missing provider is useless.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
    }

    @Override
    public List<String> tables(Path dir) throws IOException {
        return Runs.open(dir).tables();
    }

    @Override
    public NamedTable find(Path dir, String name) throws IOException {
        return Runs.open(dir).find(name);
    }

    @Override
    public void answer(Query query, Appendable out) throws IOException {
        answer(query, (header, types) -> new RowPrinter(query.format(), header, types, out));
    }

    @Override
    public void pack(Query query, Path to) throws IOException {
        answer(query, (header, types) -> new ParquetRows(to, query.table(), header, types));
    }

    /** Creates the printer for the columns of a result. */
    private interface PrinterFactory {
        Printer open(List<String> header, List<ColumnType> types) throws IOException;
    }

    /** Receives the rows of a query result. */
    interface Printer extends Closeable {
        void row(List<String> cells) throws IOException;

        /** Completes the output after the last row. */
        default void finish() throws IOException {}
    }

    private static void answer(Query query, PrinterFactory out) throws IOException {
        Path file = Runs.open(query.dir()).file(query.table());
        if (query.isStreamable()) {
            stream(query, file, out);
        } else {
            print(query, FrameTable.answer(load(query, file), query), out);
        }
    }

    private static void stream(Query query, Path file, PrinterFactory out) throws IOException {
        try (TypedRows rows = TypedRows.open(file)) {
            List<Condition> where = conditions(query, rows.header(), rows.types());
            int[] chosen = chosen(query.columns(), rows.header());
            long left = query.limit() < 0 ? Long.MAX_VALUE : query.limit();
            try (Printer printer = printer(chosen, rows.header(), rows.types(), out)) {
                while (left > 0 && rows.next()) {
                    if (where.stream().allMatch(condition -> condition.accepts(rows::text))) {
                        printer.row(cells(chosen, rows::text));
                        left--;
                    }
                }
                printer.finish();
            }
        }
    }

    /** Loads one table, or joins two. Conditions apply to the joined table. */
    private static Table load(Query query, Path file) throws IOException {
        try (TypedRows rows = TypedRows.open(file)) {
            if (query.join().isEmpty()) {
                return FrameTable.load(rows, conditions(query, rows.header(), rows.types()), query.table());
            }
            Join join = query.join().get();
            Table left = FrameTable.load(rows, List.of(), query.table());
            Table joined = FrameTable.join(left, Runs.open(join.dir()).table(join.table()), join.on());
            return filtered(query, joined);
        }
    }

    private static Table filtered(Query query, Table joined) {
        List<String> header = joined.columnNames();
        List<ColumnType> types = FrameTable.types(joined);
        List<Condition> where = conditions(query, header, types);
        int[] kept = IntStream.range(0, joined.rowCount())
                .filter(row -> where.stream()
                        .allMatch(condition -> condition.accepts(column -> FrameTable.text(joined, row, column))))
                .toArray();
        return joined.rows(kept);
    }

    private static void print(Query query, Table table, PrinterFactory out) throws IOException {
        int[] chosen = chosen(query.columns(), table.columnNames());
        long rows = query.limit() < 0 ? table.rowCount() : Math.min(table.rowCount(), query.limit());
        try (Printer printer = printer(chosen, table.columnNames(), FrameTable.types(table), out)) {
            for (int i = 0; i < rows; i++) {
                int row = i;
                printer.row(cells(chosen, column -> FrameTable.text(table, row, column)));
            }
            printer.finish();
        }
    }

    private static List<Condition> conditions(Query query, List<String> header, List<ColumnType> types) {
        return query.where().stream()
                .map(text -> Condition.parse(text, header, types))
                .toList();
    }

    private static int[] chosen(List<String> columns, List<String> header) {
        return columns.isEmpty()
                ? IntStream.range(0, header.size()).toArray()
                : columns.stream()
                        .mapToInt(name -> Condition.position(name, header, "--columns"))
                        .toArray();
    }

    private static Printer printer(int[] chosen, List<String> header, List<ColumnType> types, PrinterFactory out)
            throws IOException {
        return out.open(
                IntStream.of(chosen).mapToObj(header::get).toList(),
                IntStream.of(chosen).mapToObj(types::get).toList());
    }

    private static List<String> cells(int[] chosen, IntFunction<String> row) {
        List<String> cells = new ArrayList<>(chosen.length);
        for (int column : chosen) {
            cells.add(row.apply(column));
        }
        return cells;
    }

    /** Prints rows in one format. Buffers plain text to compute the column widths. */
    private static final class RowPrinter implements Printer {
        private final TableTool.Format format;
        private final List<String> header;
        private final List<ColumnType> types;
        private final Appendable out;
        private final List<List<String>> textRows = new ArrayList<>();
        private long rows;

        RowPrinter(TableTool.Format format, List<String> header, List<ColumnType> types, Appendable out)
                throws IOException {
            this.format = format;
            this.header = header;
            this.types = types;
            this.out = out;
            switch (format) {
                case CSV -> line(csv(header));
                case MD -> {
                    line(markdown(header));
                    line(markdown(types.stream()
                            .map(type -> Condition.isNumeric(type) ? "---:" : "---")
                            .toList()));
                }
                case JSON -> out.append('[');
                default -> textRows.add(header);
            }
        }

        @Override
        public void row(List<String> cells) throws IOException {
            switch (format) {
                case CSV -> line(csv(cells));
                case MD -> line(markdown(cells));
                case JSON -> out.append(rows == 0 ? "\n" : ",\n").append(json(cells));
                default -> textRows.add(cells);
            }
            rows++;
        }

        @Override
        public void close() throws IOException {
            if (format == TableTool.Format.JSON) {
                out.append(rows == 0 ? "]\n" : "\n]\n");
            }
            int[] widths = new int[header.size()];
            for (List<String> cells : textRows) {
                for (int i = 0; i < widths.length; i++) {
                    widths[i] = Math.max(widths[i], cells.get(i).length());
                }
            }
            for (List<String> cells : textRows) {
                StringBuilder text = new StringBuilder();
                for (int i = 0; i < widths.length; i++) {
                    String blanks = " ".repeat(widths[i] - cells.get(i).length());
                    text.append(i == 0 ? "" : "  ")
                            .append(Condition.isNumeric(types.get(i)) ? blanks + cells.get(i) : cells.get(i) + blanks);
                }
                line(text.toString().stripTrailing());
            }
        }

        private void line(String text) throws IOException {
            out.append(text).append('\n');
        }

        private static String csv(List<String> cells) {
            return cells.stream().map(TableFile::quoted).collect(Collectors.joining(","));
        }

        private static String markdown(List<String> cells) {
            return "| "
                    + String.join(
                            " | ",
                            cells.stream().map(c -> c.replace("|", "\\|")).toList()) + " |";
        }

        private String json(List<String> cells) {
            StringBuilder text = new StringBuilder("{");
            for (int i = 0; i < cells.size(); i++) {
                text.append(i == 0 ? "" : ", ")
                        .append(Json.quoted(header.get(i)))
                        .append(": ");
                text.append(cells.get(i).isEmpty() ? "null" : value(cells.get(i), types.get(i)));
            }
            return text.append('}').toString();
        }

        private static String value(String cell, ColumnType type) {
            boolean plain = type == ColumnType.BOOL || (Condition.isNumeric(type) && !cell.matches("-?(inf|nan)"));
            return plain ? cell : Json.quoted(cell);
        }
    }
}
