package dev.stagesim.io.csv;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.ColumnType;
import dev.stagesim.contract.FormerNames;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a CSV table row by row, in bounded memory, and checks it against its schema.
 *
 * <p>A file that breaks the schema is an input error: {@link StageException} with file, line, column, the value found
 * and the expected one, with at most {@value #MAX_PROBLEMS} problems.
 */
public final class TableReader implements Closeable {
    private static final int MAX_PROBLEMS = 10;
    private static final int ROWS_LOOKED_AHEAD = 10_000;

    private final Path file;
    private final CsvScanner scanner;
    private final List<String> header;
    private final Column[] columns;
    private final ColumnType[] types;
    private final RowCheck[] checks;
    private final long[] longs;
    private final double[] doubles;
    private final boolean[] empty;

    /** Problem of the current row as a whole. */
    private @Nullable String broken;

    private TableReader(Path file, CsvScanner scanner, TableSchema schema) throws IOException {
        this.file = file;
        this.scanner = scanner;
        if (!scanner.next()) {
            throw StageException.input(Problem.artifact(file.toString(), "the file is empty")
                    .note("expected", "a header for " + schema.name()));
        }
        this.header = headerOf(scanner);
        this.columns = TableHeader.match(where(), header, schema);
        this.types = Arrays.stream(columns).map(Column::type).toArray(ColumnType[]::new);
        this.checks = RowCheck.bind(schema.invariants(), header);
        this.longs = new long[columns.length];
        this.doubles = new double[columns.length];
        this.empty = new boolean[columns.length];
    }

    private static List<String> headerOf(CsvScanner scanner) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < scanner.cells(); i++) {
            names.add(scanner.text(i));
        }
        return List.copyOf(names);
    }

    /** Opens {@code file}. Its header must contain the schema's required columns. */
    public static TableReader open(Path file, TableSchema schema) throws IOException {
        try {
            Path found = TableFile.find(file);
            return of(found, TableFile.raw(found), schema);
        } catch (NoSuchFileException e) {
            throw StageException.input(
                    Problem.artifact(file.toString(), "the file does not exist")
                            .note("expected", "a table like " + schema.name()),
                    e);
        }
    }

    /** Reads the cells of the current row. */
    @FunctionalInterface
    public interface RowReader {
        void read(TableReader row) throws IOException;
    }

    /** Reads all rows of a table of moderate size; longer ones look up the positions of their columns once. */
    public static void forEach(Path file, TableSchema schema, RowReader reader) throws IOException {
        try (TableReader table = open(file, schema)) {
            while (table.next()) {
                reader.read(table);
            }
        }
    }

    /** Reads a table from a stream, which is closed with the reader; {@code file} is its name in messages. */
    public static TableReader of(Path file, InputStream in, TableSchema schema) throws IOException {
        CsvScanner scanner = new CsvScanner(file.toString(), in);
        try {
            return new TableReader(file, scanner, schema);
        } catch (RuntimeException | IOException e) {
            scanner.close();
            throw e;
        }
    }

    /** Returns the position of a column for the value methods, or -1 if the file omits it. */
    public int column(String name) {
        return header.indexOf(name);
    }

    /** Returns the names of the file's columns in their order. */
    public List<String> header() {
        return header;
    }

    /** Returns the place of the current row, {@code file:line}. */
    public String where() {
        return file + ":" + scanner.line();
    }

    /** Moves to the next row and checks it, or returns false at the end. */
    public boolean next() {
        try {
            if (!scanner.next()) {
                return false;
            }
            if (!goodRow()) {
                throw StageException.input(problems());
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Parses the cells of the row, or returns false if a cell or the row breaks the schema. */
    private boolean goodRow() {
        if (scanner.cells() != columns.length || scanner.malformed()) {
            return false;
        }
        for (int i = 0; i < columns.length; i++) {
            if (!goodCell(i)) {
                return false;
            }
        }
        for (RowCheck check : checks) {
            broken = check.violation(longs, empty);
            if (broken != null) {
                return false;
            }
        }
        return true;
    }

    private boolean goodCell(int cell) {
        Column column = columns[cell];
        int start = scanner.start(cell);
        int end = scanner.end(cell);
        empty[cell] = start == end;
        if (start == end) {
            return column.nullable();
        }
        byte[] bytes = scanner.bytes();
        return switch (column.type()) {
            case INT64 -> {
                boolean number = Cells.isLong(bytes, start, end);
                longs[cell] = number ? Cells.toLong(bytes, start, end) : 0;
                yield number && longs[cell] >= column.min();
            }
            case FLOAT64 -> {
                double value = Cells.toDouble(bytes, start, end);
                doubles[cell] = value;
                yield value >= column.min() && Math.abs(value) <= Double.MAX_VALUE;
            }
            case BOOL -> Cells.equal(bytes, start, end, "true") || Cells.equal(bytes, start, end, "false");
            case STRING -> column.values().isEmpty() || column.values().contains(scanner.text(cell));
        };
    }

    /** Returns the problems of the current row and of the rows after it. */
    private List<Problem> problems() throws IOException {
        List<Problem> problems = new ArrayList<>();
        describe(problems);
        for (int i = 0; i < ROWS_LOOKED_AHEAD && problems.size() < MAX_PROBLEMS && scanner.next(); i++) {
            if (!goodRow()) {
                describe(problems);
            }
        }
        return problems.subList(0, Math.min(problems.size(), MAX_PROBLEMS));
    }

    private void describe(List<Problem> problems) {
        if (scanner.malformed()) {
            problems.add(Problem.artifact(where(), "a quoted value does not end where the cell ends"));
            return;
        }
        if (scanner.cells() != columns.length) {
            problems.add(Problem.artifact(
                    where(), "found " + scanner.cells() + " values, expected " + columns.length + " as in the header"));
            return;
        }
        int before = problems.size();
        for (int i = 0; i < columns.length; i++) {
            Column column = columns[i];
            if (!goodCell(i)) {
                problems.add(CellProblem.of(where(), column, empty[i] ? "" : scanner.text(i)));
            }
        }
        if (problems.size() == before && broken != null) {
            problems.add(Problem.artifact(where(), broken));
        }
    }

    /** True when the cell is empty, or the file leaves the column out. */
    public boolean isEmpty(int column) {
        return column < 0 || empty[column];
    }

    /** Returns the integer in a cell that is not empty. */
    public long longAt(int column) {
        return longs[typed(column, ColumnType.INT64)];
    }

    /** Number in a cell that is not empty. */
    public double doubleAt(int column) {
        return doubles[typed(column, ColumnType.FLOAT64)];
    }

    /** Returns the text of a cell of any type. */
    public String stringAt(int column) {
        return scanner.text(column);
    }

    public boolean isEmpty(String column) {
        return isEmpty(column(column));
    }

    public long longAt(String column) {
        return longAt(column(column));
    }

    public double doubleAt(String column) {
        return doubleAt(column(column));
    }

    public String stringAt(String column) {
        return stringAt(column(column));
    }

    private int typed(int column, ColumnType type) {
        if (column < 0 || types[column] != type || empty[column]) {
            String what = column < 0 ? "absent" : empty[column] ? "empty" : String.valueOf(types[column]);
            throw new IllegalStateException(
                    where() + ": requested " + type + " of column " + column + ", which is " + what);
        }
        return column;
    }

    @Override
    public void close() throws IOException {
        scanner.close();
    }

    /** Describes a cell that breaks its column's declaration. */
    private static final class CellProblem {
        private static final int MAX_SHOWN_CHARACTERS = 40;

        private CellProblem() {}

        static Problem of(String where, Column column, String text) {
            String shown =
                    text.length() > MAX_SHOWN_CHARACTERS ? text.substring(0, MAX_SHOWN_CHARACTERS) + "..." : text;
            String found = text.isEmpty() ? "found nothing" : "found '" + shown + "'";
            Problem problem = Problem.artifact(
                    where, "column " + column.name() + ": " + found + ", expected " + expected(column));
            if (!column.values().isEmpty()) {
                return problem.options(column.values()).didYouMean(Suggest.near(text, column.values()));
            }
            return problem;
        }

        private static String expected(Column column) {
            StringBuilder text =
                    new StringBuilder(column.values().isEmpty() ? kind(column.type()) : "one of the options");
            if (column.min() != Double.NEGATIVE_INFINITY) {
                String min = ShortestDouble.of(column.min());
                text.append(" of at least ").append(min.endsWith(".0") ? min.substring(0, min.length() - 2) : min);
            }
            if (!column.unit().isEmpty()) {
                text.append(" (").append(column.unit()).append(')');
            }
            return text.toString();
        }

        private static String kind(ColumnType type) {
            return switch (type) {
                case INT64 -> "an integer";
                case FLOAT64 -> "a finite number";
                case STRING -> "text";
                case BOOL -> "true or false";
            };
        }
    }

    /** Matches the header of a file with the columns of a schema. */
    private static final class TableHeader {
        private TableHeader() {}

        /** Returns the schema's column for each cell of the header. */
        static Column[] match(String where, List<String> header, TableSchema schema) {
            List<Problem> problems = new ArrayList<>();
            List<Column> columns = new ArrayList<>();
            Set<String> seen = new HashSet<>();
            List<String> known = schema.columns().stream().map(Column::name).toList();
            List<String> absent =
                    known.stream().filter(name -> !header.contains(name)).toList();
            for (String name : header) {
                Optional<Column> column = schema.column(name);
                column.ifPresent(columns::add);
                if (!seen.add(name)) {
                    problems.add(problem(where, "column '" + name + "' appears twice"));
                } else if (column.isEmpty()) {
                    problems.add(FormerNames.suggest(problem(where, "unknown column '" + name + "'"), name, absent));
                }
            }
            for (Column column : schema.columns()) {
                if (column.required() && !seen.contains(column.name())) {
                    String unit = column.unit().isEmpty() ? "" : " (" + column.unit() + ")";
                    problems.add(problem(where, "column '" + column.name() + "'" + unit + " is missing")
                            .didYouMean(Suggest.near(column.name(), header)));
                }
            }
            if (!problems.isEmpty()) {
                Problem last = problems.remove(problems.size() - 1);
                problems.add(last.note("expected", schema.name() + " with columns " + String.join(",", known)));
                throw StageException.input(problems);
            }
            return columns.toArray(Column[]::new);
        }

        private static Problem problem(String where, String what) {
            return Problem.artifact(where, what);
        }
    }
}
