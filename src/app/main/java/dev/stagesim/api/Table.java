package dev.stagesim.api;

import static dev.stagesim.api.ArgumentCheck.given;

import dev.stagesim.io.csv.LooseTable;
import java.util.List;
import java.util.stream.IntStream;

/** A table of a run in memory. The reference page of artifacts documents the columns and their units. */
public final class Table {
    private static final String COLUMN = "the name of a column, such as ttft_ns";

    private final LooseTable table;

    Table(LooseTable table) {
        this.table = table;
    }

    /** Returns the number of rows. */
    public int size() {
        return table.size();
    }

    /** Returns the names of the columns, in the order of the file. */
    public List<String> columns() {
        return List.copyOf(table.columns());
    }

    /** Returns a column as text. */
    public List<String> texts(String column) {
        given(column, "texts: column", COLUMN);
        return IntStream.range(0, size())
                .mapToObj(row -> table.text(row, column))
                .toList();
    }

    /** Returns a column of numbers. An empty cell is NaN. */
    public double[] numbers(String column) {
        given(column, "numbers: column", COLUMN);
        return IntStream.range(0, size())
                .mapToDouble(row -> table.isEmpty(row, column) ? Double.NaN : table.number(row, column))
                .toArray();
    }
}
