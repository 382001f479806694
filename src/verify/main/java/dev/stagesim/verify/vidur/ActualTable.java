package dev.stagesim.verify.vidur;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A computed table, for comparison with a golden one. NaN is an empty cell. */
final class ActualTable {
    /** One column: numbers, or texts. */
    interface Column {
        /** True if a golden cell equals the computed value. */
        boolean same(int row, String expected);

        String shown(int row);

        /** The value as a key: whole numbers without a fraction. */
        String key(int row);
    }

    /** A growing column of numbers. */
    static final class Numbers implements Column {
        private double[] values = new double[64];
        private int size;

        void add(long value) {
            add((double) value);
        }

        void add(double value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, 2 * size);
            }
            values[size++] = value;
        }

        @Override
        public boolean same(int row, String expected) {
            double actual = values[row];
            return expected.isEmpty() ? Double.isNaN(actual) : Double.parseDouble(expected) == actual;
        }

        @Override
        public String shown(int row) {
            return Double.isNaN(values[row]) ? "" : Double.toString(values[row]);
        }

        @Override
        public String key(int row) {
            return Long.toString((long) values[row]);
        }
    }

    /** A growing column of texts. */
    static final class Texts implements Column {
        private final List<String> values = new ArrayList<>();

        void add(String value) {
            values.add(value);
        }

        @Override
        public boolean same(int row, String expected) {
            return values.get(row).equals(expected);
        }

        @Override
        public String shown(int row) {
            return values.get(row);
        }

        @Override
        public String key(int row) {
            return values.get(row);
        }
    }

    private final Map<String, Column> columns = new LinkedHashMap<>();
    private int rows;

    Numbers numbers(String name) {
        Numbers column = new Numbers();
        columns.put(name, column);
        return column;
    }

    Texts texts(String name) {
        Texts column = new Texts();
        columns.put(name, column);
        return column;
    }

    void endRow() {
        rows++;
    }

    int rows() {
        return rows;
    }

    Map<String, Column> columns() {
        return columns;
    }
}
