package dev.stagesim.api;

import static dev.stagesim.api.Given.given;

import dev.stagesim.io.csv.LooseTable;
import java.util.List;
import java.util.stream.IntStream;

/** A table of a run in memory. Its columns, with their units, are on the page of artifacts. */
public final class Table {
    private static final String COLUMN = "the name of a column, such as ttft_ns";

    private final LooseTable table;

    Table(LooseTable table) {
        this.table = table;
    }

    /** Number of rows. */
    public int size() {
        return table.size();
    }

    /** Names of the columns, in the order of the file. */
    public List<String> columns() {
        return List.copyOf(table.columns());
    }

    /** A column as text. */
    public List<String> texts(String column) {
        given(column, "texts: column", COLUMN);
        return IntStream.range(0, size())
                .mapToObj(row -> table.text(row, column))
                .toList();
    }

    /** A column of numbers; an empty cell is NaN. */
    public double[] numbers(String column) {
        given(column, "numbers: column", COLUMN);
        return IntStream.range(0, size())
                .mapToDouble(row -> table.isEmpty(row, column) ? Double.NaN : table.number(row, column))
                .toArray();
    }
}
