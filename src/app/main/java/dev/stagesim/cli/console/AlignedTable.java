package dev.stagesim.cli.console;

import java.util.ArrayList;
import java.util.List;

/** A plain text table with aligned columns. */
public final class AlignedTable {
    private final List<List<String>> rows = new ArrayList<>();

    public AlignedTable row(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    /** Returns the lines of the table, with two blanks between columns and no trailing blanks. */
    public List<String> lines() {
        int columns = rows.stream().mapToInt(List::size).max().orElse(0);
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            line.append(row.get(i));
            if (i + 1 < row.size()) {
                line.append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
        }
        return line.toString().stripTrailing();
    }
}
