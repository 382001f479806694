package dev.stagesim.verify.vidur;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.JsonDiff;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Collects the differences between expected and actual files of a case: the first few of each file, and the number of the
 * rest.
 */
final class Differences {
    private static final int SHOWN_PER_FILE = 3;

    private final List<Difference> first = new ArrayList<>();
    private String file = "";
    private int inFile;
    private int total;
    private long compared;

    void begin(String fileName) {
        file = fileName;
        inFile = 0;
    }

    /** Values compared so far. */
    long compared() {
        return compared;
    }

    boolean none() {
        return total == 0;
    }

    /** Returns the first differences of each file, and the number of further ones. */
    List<Difference> shown() {
        List<Difference> shown = new ArrayList<>(first);
        if (total > first.size()) {
            shown.add(new Difference("further values", "the recorded ones", (total - first.size()) + " others"));
        }
        return shown;
    }

    void add(String where, String expected, String actual) {
        total++;
        if (inFile++ < SHOWN_PER_FILE) {
            first.add(new Difference(file + " " + where, expected, actual));
        }
    }

    void number(String where, double expected, double actual) {
        compared++;
        if (expected != actual) {
            add(where, Double.toString(expected), Double.toString(actual));
        }
    }

    void text(String where, String expected, String actual) {
        compared++;
        if (!expected.equals(actual)) {
            add(where, expected, actual);
        }
    }

    /** Compares tables row by row in order, or by the values of a key column. */
    void table(GoldenTable expected, ActualTable actual, Optional<String> rowKey) {
        if (expected.rows().size() != actual.rows()) {
            add("rows", Integer.toString(expected.rows().size()), Integer.toString(actual.rows()));
            return;
        }
        int[] at = rowKey.map(key -> rows(expected, actual, key))
                .orElseGet(() -> IntStream.range(0, actual.rows()).toArray());
        for (int column = 0; column < expected.columns().size(); column++) {
            String name = expected.columns().get(column);
            int ours = actual.column(name);
            if (name.isEmpty()) {
                continue;
            }
            if (ours < 0) {
                add("column " + name, "present", "absent");
                continue;
            }
            compareColumn(expected, column, actual, ours, at);
        }
    }

    /** Returns the product's row for each row of a golden table, or -1 if it has no row with that key. */
    private static int[] rows(GoldenTable expected, ActualTable actual, String key) {
        int column = expected.column(key);
        Map<String, Integer> ours = new HashMap<>();
        int keys = actual.column(key);
        for (int row = 0; keys >= 0 && row < actual.rows(); row++) {
            ours.put(actual.key(row, keys), row);
        }
        return expected.rows().stream()
                .mapToInt(row -> ours.getOrDefault(row[column], -1))
                .toArray();
    }

    private void compareColumn(GoldenTable expected, int column, ActualTable actual, int ours, int[] at) {
        for (int i = 0; i < at.length; i++) {
            String cell = expected.rows().get(i)[column];
            compared++;
            if (at[i] < 0) {
                add("row " + i + " " + expected.columns().get(column), cell, "no such row");
            } else if (!actual.same(at[i], ours, cell)) {
                add("row " + i + " " + expected.columns().get(column), cell, actual.shown(at[i], ours));
            }
        }
    }

    /** Compares JSON values; numbers by value, objects without regard to order. */
    void json(LocatedJson expected, JsonValue actual) {
        compared++;
        JsonDiff.differences(expected.value(), actual)
                .forEach(difference -> add(difference.where(), difference.expected(), difference.actual()));
    }
}
