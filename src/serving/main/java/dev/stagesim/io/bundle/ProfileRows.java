package dev.stagesim.io.bundle;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * The rows of one profiling file that pass a chain of filters. If no row is left, the error lists the available values.
 */
final class ProfileRows {
    private final LooseTable table;
    private final List<Problem> problems;
    private List<Integer> rows;
    /** True after a problem, so that its consequences are not reported as well. */
    private boolean broken;

    private ProfileRows(LooseTable table, List<Problem> problems) {
        this.table = table;
        this.problems = problems;
        this.rows = new ArrayList<>();
        for (int i = 0; i < table.size(); i++) {
            rows.add(i);
        }
    }

    /** Opens a file and reports all missing {@code required} columns. */
    static ProfileRows open(Path file, Collection<String> required, List<Problem> problems) throws IOException {
        ProfileRows opened = new ProfileRows(LooseTable.read(file).distinct(), problems);
        for (String column : required) {
            if (!opened.table.has(column)) {
                opened.report(Problem.artifact(file.toString(), "column '" + column + "' is missing")
                        .didYouMean(Suggest.near(column, opened.table.columns())));
            }
        }
        return opened;
    }

    boolean has(String column) {
        return table.has(column);
    }

    Path file() {
        return table.file();
    }

    /** Keeps rows with the number {@code value} in {@code column}. */
    ProfileRows where(String column, int value) {
        return where(column, Integer.toString(value));
    }

    /** Keeps rows with the text {@code value} in {@code column}; numbers and booleans are compared by value. */
    ProfileRows where(String column, String value) {
        if (broken) {
            return this;
        }
        List<Integer> kept = rows.stream()
                .filter(row -> same(table.text(row, column), value))
                .toList();
        if (kept.isEmpty()) {
            report(Problem.artifact(table.file().toString(), "no row has " + column + " = " + value)
                    .note("there are", values(column)));
        }
        rows = kept;
        return this;
    }

    private static boolean same(String text, String value) {
        if (text.equalsIgnoreCase(value)) {
            return true;
        }
        try {
            return Double.parseDouble(text) == Double.parseDouble(value);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Returns the distinct values of a column in the remaining rows, shortest first. */
    private String values(String column) {
        TreeSet<String> values =
                new TreeSet<>(Comparator.comparingInt(String::length).thenComparing(text -> text));
        rows.forEach(row -> values.add(table.text(row, column)));
        return values.isEmpty() ? "no rows" : String.join(", ", values);
    }

    /** Returns the number of distinct texts of a column in the remaining rows. */
    long distinct(String column) {
        return rows.stream().map(row -> table.text(row, column)).distinct().count();
    }

    private void report(Problem problem) {
        problems.add(problem);
        broken = true;
    }

    boolean broken() {
        return broken;
    }

    List<Integer> rows() {
        return rows;
    }

    LooseTable table() {
        return table;
    }

    void none(String what) {
        report(Problem.artifact(table.file().toString(), what));
    }
}
