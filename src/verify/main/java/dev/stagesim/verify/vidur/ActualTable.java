package dev.stagesim.verify.vidur;

import java.util.ArrayList;
import java.util.List;

/** A computed table of numbers and texts, for comparison with a golden one. NaN is an empty cell. */
final class ActualTable {
    private final List<String> columns;
    private final List<Object[]> rows = new ArrayList<>();

    ActualTable(String... columns) {
        this(List.of(columns));
    }

    ActualTable(List<String> columns) {
        this.columns = List.copyOf(columns);
    }

    void add(Object... row) {
        rows.add(row);
    }

    int rows() {
        return rows.size();
    }

    /** Returns the position of a column, or -1 if absent. */
    int column(String name) {
        return columns.indexOf(name);
    }

    /** True if a golden cell equals the computed value. */
    boolean same(int row, int column, String expected) {
        if (rows.get(row)[column] instanceof Number number) {
            double actual = number.doubleValue();
            return expected.isEmpty() ? Double.isNaN(actual) : Double.parseDouble(expected) == actual;
        }
        return rows.get(row)[column].equals(expected);
    }

    String shown(int row, int column) {
        Object value = rows.get(row)[column];
        return value instanceof Double number && number.isNaN() ? "" : value.toString();
    }

    /** Returns the value as a key: whole numbers without a fraction. */
    String key(int row, int column) {
        return rows.get(row)[column] instanceof Number number ? Long.toString(number.longValue()) : shown(row, column);
    }
}
