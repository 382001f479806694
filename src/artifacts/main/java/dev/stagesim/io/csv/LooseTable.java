package dev.stagesim.io.csv;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A CSV file of another tool, in memory.
 *
 * <p>Columns may have any order, and unused columns are allowed. It is for files of some thousand rows. Longer files are
 * read row by row with {@link CsvRows}, and the product's artifacts with {@link TableReader}.
 */
public final class LooseTable {
    private final Path file;
    private final Map<String, Integer> columns;
    private final List<List<String>> rows;
    private final int[] lines;

    private LooseTable(Path file, Map<String, Integer> columns, List<List<String>> rows, int[] lines) {
        this.file = file;
        this.columns = columns;
        this.rows = rows;
        this.lines = lines;
    }

    /** Reads a file. A missing, empty or ragged file is an input error. */
    public static LooseTable read(Path file) throws IOException {
        return read(file, CsvRows.open(file));
    }

    /** Reads content that was derived from a file, for example by removing the prefixes of its lines. */
    public static LooseTable read(Path file, InputStream content) throws IOException {
        return read(file, CsvRows.open(file, content));
    }

    /** Reads a table of the product from the resources of a class's package. */
    public static LooseTable resource(Class<?> owner, String name) {
        InputStream content = Objects.requireNonNull(owner.getResourceAsStream(name), name);
        return Unchecked.get(() -> read(Path.of(name), content));
    }

    private static LooseTable read(Path file, CsvRows rowsOfFile) throws IOException {
        try (CsvRows in = rowsOfFile) {
            Map<String, Integer> columns = new LinkedHashMap<>();
            for (int i = 0; i < in.header().size(); i++) {
                columns.put(in.header().get(i), i);
            }
            List<List<String>> rows = new ArrayList<>();
            List<Integer> lines = new ArrayList<>();
            while (in.next()) {
                String[] row = new String[in.header().size()];
                Arrays.setAll(row, in::text);
                rows.add(List.of(row));
                lines.add((int) in.line());
            }
            return new LooseTable(
                    file,
                    columns,
                    rows,
                    lines.stream().mapToInt(Integer::intValue).toArray());
        }
    }

    /** Returns this table without rows that repeat an earlier row in every field. */
    public LooseTable distinct() {
        Set<List<String>> seen = new LinkedHashSet<>();
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            if (seen.add(rows.get(i))) {
                kept.add(lines[i]);
            }
        }
        return new LooseTable(
                file,
                columns,
                List.copyOf(seen),
                kept.stream().mapToInt(Integer::intValue).toArray());
    }

    public Path file() {
        return file;
    }

    public int size() {
        return rows.size();
    }

    public Set<String> columns() {
        return columns.keySet();
    }

    public boolean has(String column) {
        return columns.containsKey(column);
    }

    /** Returns the file and line of a row for messages. */
    public String where(int row) {
        return file + ":" + lines[row];
    }

    /** Returns the text of a cell. A missing column is an input error. */
    public String text(int row, String column) {
        Integer index = columns.get(column);
        if (index == null) {
            throw StageException.input(Problem.artifact(file + ":1", "column '" + column + "' is missing")
                    .didYouMean(Suggest.near(column, columns.keySet()))
                    .options(List.copyOf(columns.keySet())));
        }
        return rows.get(row).get(index);
    }

    /** Returns the texts of a column by those of another one, which differ from row to row. */
    public Map<String, String> texts(String key, String value) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (int row = 0; row < size(); row++) {
            texts.put(text(row, key), text(row, value));
        }
        return texts;
    }

    public boolean isEmpty(int row, String column) {
        return text(row, column).isEmpty();
    }

    /** Returns a number. Any other content of the cell is an input error. */
    public double number(int row, String column) {
        String text = text(row, column);
        try {
            double value = Double.parseDouble(text);
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Falls through to the same message as for NaN and infinities.
        }
        throw error(where(row), "column '" + column + "' is '" + text + "', expected a number");
    }

    /** Returns an integer, which may be written as a real number. */
    public int integer(int row, String column) {
        double value = number(row, column);
        if (value != Math.rint(value) || Math.abs(value) > Integer.MAX_VALUE) {
            throw error(where(row), "column '" + column + "' is '" + text(row, column) + "', expected a whole number");
        }
        return (int) value;
    }

    private static StageException error(String where, String what) {
        return StageException.input(Problem.artifact(where, what));
    }
}
