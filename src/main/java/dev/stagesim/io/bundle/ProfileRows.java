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

/** The rows of one profiling file that pass a chain of filters; says what is there when a filter leaves none. */
final class ProfileRows {
    private final LooseTable table;
    private final List<Problem> problems;
    private List<Integer> rows;
    /** Set once a problem was found, so that its consequences are not reported as well. */
    private boolean broken;

    private ProfileRows(LooseTable table, List<Problem> problems) {
        this.table = table;
        this.problems = problems;
        this.rows = new ArrayList<>();
        for (int i = 0; i < table.size(); i++) {
            rows.add(i);
        }
    }

    /** Opens a file; {@code required} columns that are missing become problems, all of them. */
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

    /** Keeps rows whose number in {@code column} is {@code wanted}. */
    ProfileRows where(String column, int wanted) {
        return where(column, Integer.toString(wanted));
    }

    /** Keeps rows whose text in {@code column} is {@code wanted}; numbers and truth values compare by value. */
    ProfileRows where(String column, String wanted) {
        if (broken) {
            return this;
        }
        List<Integer> kept = rows.stream()
                .filter(row -> same(table.text(row, column), wanted))
                .toList();
        if (kept.isEmpty()) {
            report(Problem.artifact(table.file().toString(), "no row has " + column + " = " + wanted)
                    .note("there are", values(column)));
        }
        rows = kept;
        return this;
    }

    private static boolean same(String text, String wanted) {
        if (text.equalsIgnoreCase(wanted)) {
            return true;
        }
        try {
            return Double.parseDouble(text) == Double.parseDouble(wanted);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Distinct values of a column among the rows still kept, shortest first. */
    private String values(String column) {
        TreeSet<String> values =
                new TreeSet<>(Comparator.comparingInt(String::length).thenComparing(text -> text));
        rows.forEach(row -> values.add(table.text(row, column)));
        return values.isEmpty() ? "no rows" : String.join(", ", values);
    }

    /** Number of distinct texts in a column among the rows still kept. */
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
