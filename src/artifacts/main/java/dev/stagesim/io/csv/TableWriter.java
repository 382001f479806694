package dev.stagesim.io.csv;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.ColumnType;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.model.LongText;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Writes a CSV table row by row and checks each row against its schema.
 *
 * <p>Values are added in column order. A row that breaks the schema is a bug of the product and throws {@link
 * IllegalStateException} with file, row and column; an empty text comes from an input and is an input error. Cells are
 * kept until the row ends and then printed in one loop into the output buffer, so that the compiled code of a caller
 * with many cells stays small.
 */
public final class TableWriter implements Closeable {
    private static final int BUFFER = 1 << 16;
    private static final int ROOM = Math.max(LongText.MAX_LENGTH, ShortestDouble.MAX_LENGTH) + 2;

    private final OutputStream out;
    private final Path file;
    private final Column[] columns;
    private final ColumnType[] types;
    private final long[] min;
    private final RowCheck[] checks;

    /** Cells of the row: integers, the bits of other numbers, and texts, by column. */
    private final long[] values;

    private final String[] texts;
    private final boolean[] empty;
    private final byte[] buffer = new byte[BUFFER];
    private int filled;
    private int at;
    private long rows;

    private TableWriter(Path file, TableSchema schema, List<Column> columns) throws IOException {
        this.file = file;
        this.columns = columns.toArray(Column[]::new);
        this.types = columns.stream().map(Column::type).toArray(ColumnType[]::new);
        this.min = columns.stream().mapToLong(TableWriter::leastLong).toArray();
        this.values = new long[columns.size()];
        this.texts = new String[columns.size()];
        this.empty = new boolean[columns.size()];
        List<String> header = columns.stream().map(Column::name).toList();
        this.checks = RowCheck.bind(schema.invariants(), header);
        this.out = Files.newOutputStream(file);
        for (int i = 0; i < header.size(); i++) {
            if (i > 0) {
                buffer[filled++] = ',';
            }
            text(header.get(i));
        }
        buffer[filled++] = '\n';
    }

    private static long leastLong(Column column) {
        return column.min() == Double.NEGATIVE_INFINITY ? Long.MIN_VALUE : (long) Math.ceil(column.min());
    }

    /** Adds the cells of a row. */
    @FunctionalInterface
    public interface RowWriter<T> {
        void put(TableWriter table, T item) throws IOException;
    }

    /** Writes a table with one row per item into {@code directory}. */
    public static <T> void write(Path directory, TableSchema schema, Iterable<T> items, RowWriter<T> row)
            throws IOException {
        try (TableWriter table = in(directory, schema)) {
            for (T item : items) {
                row.put(table, item);
                table.endRow();
            }
        }
    }

    /** Opens the file of a table in {@code directory}. */
    public static TableWriter in(Path directory, TableSchema schema) throws IOException {
        return create(directory.resolve(schema.name()), schema);
    }

    public static TableWriter create(Path file, TableSchema schema) throws IOException {
        return new TableWriter(file, schema, schema.columns());
    }

    /** Opens {@code file} for a table with the required columns and the optional columns in {@code columns}. */
    public static TableWriter create(Path file, TableSchema schema, List<String> columns) throws IOException {
        for (String name : columns) {
            if (schema.indexOf(name) < 0) {
                throw new IllegalStateException(file + ": " + schema.name() + " has no column " + name);
            }
        }
        return new TableWriter(
                file,
                schema,
                schema.columns().stream()
                        .filter(c -> c.required() || columns.contains(c.name()))
                        .toList());
    }

    public TableWriter put(long value) throws IOException {
        int column = start(ColumnType.INT64);
        if (value < min[column]) {
            throw violation(column, value + " is less than " + min[column]);
        }
        values[column] = value;
        return this;
    }

    public TableWriter put(double value) throws IOException {
        int column = start(ColumnType.FLOAT64);
        if (!(value >= columns[column].min() && value <= Double.MAX_VALUE) || value == Double.NEGATIVE_INFINITY) {
            throw violation(column, value + " is not a finite number of at least " + columns[column].min());
        }
        values[column] = Double.doubleToRawLongBits(value);
        return this;
    }

    /** Adds a number if present, otherwise an empty cell. */
    public TableWriter putIf(boolean isKnown, long value) throws IOException {
        return isKnown ? put(value) : putEmpty();
    }

    public TableWriter putIf(boolean isKnown, double value) throws IOException {
        return isKnown ? put(value) : putEmpty();
    }

    /** Adds a number, or an empty cell if it is NaN or infinite. */
    public TableWriter putFinite(double value) throws IOException {
        return putIf(Double.isFinite(value), value);
    }

    /** Adds a number if present, otherwise an empty cell. */
    public TableWriter put(Optional<Double> value) throws IOException {
        return putIf(value.isPresent(), value.orElse(0.0));
    }

    public TableWriter put(OptionalLong value) throws IOException {
        return putIf(value.isPresent(), value.orElse(0));
    }

    /** Adds a number, or an empty cell if it is negative, which marks an absent value. */
    public TableWriter putUnlessNegative(long value) throws IOException {
        return putIf(value >= 0, value);
    }

    public TableWriter put(String value) throws IOException {
        int column = start(ColumnType.STRING);
        Column spec = columns[column];
        if (value.isEmpty() && !spec.nullable() && !spec.values().isEmpty()) {
            throw violation(column, "an empty value");
        }
        if (value.isEmpty() && !spec.nullable()) {
            throw StageException.input(Problem.artifact(
                    file + ": row " + rows + ", column " + spec.name(),
                    "the input has an empty text, expected a value"));
        }
        if (!spec.values().isEmpty() && !value.isEmpty() && !spec.values().contains(value)) {
            throw violation(column, "'" + value + "' is none of " + spec.values());
        }
        texts[column] = value;
        return this;
    }

    public TableWriter put(boolean value) throws IOException {
        texts[start(ColumnType.BOOL)] = value ? "true" : "false";
        return this;
    }

    /** Adds an empty cell. */
    public TableWriter putEmpty() throws IOException {
        int column = start(at < types.length ? types[at] : ColumnType.STRING);
        if (!columns[column].nullable()) {
            throw violation(column, "an empty value");
        }
        empty[column] = true;
        return this;
    }

    /** Checks that the next column takes the type. */
    private int start(ColumnType type) {
        int column = at;
        if (column == types.length) {
            throw new IllegalStateException(file + ": row " + rows + " has more than " + column + " values");
        }
        if (types[column] != type) {
            throw violation(column, "a value of type " + type + ", the column is " + types[column]);
        }
        at = column + 1;
        empty[column] = false;
        return column;
    }

    private void print(int column) throws IOException {
        if (filled + ROOM > BUFFER) {
            flush();
        }
        if (column > 0) {
            buffer[filled++] = ',';
        }
        if (empty[column]) {
            return;
        }
        switch (types[column]) {
            case INT64 -> filled = LongText.write(values[column], buffer, filled);
            case FLOAT64 -> filled = ShortestDouble.write(Double.longBitsToDouble(values[column]), buffer, filled);
            default -> text(texts[column]);
        }
    }

    public void endRow() throws IOException {
        if (at != types.length) {
            throw new IllegalStateException(
                    file + ": row " + rows + " has " + at + " values, expected " + types.length);
        }
        for (RowCheck check : checks) {
            String violation = check.violation(values, empty);
            if (violation != null) {
                throw new IllegalStateException(file + ": row " + rows + ": " + violation);
            }
        }
        for (int column = 0; column < at; column++) {
            print(column);
        }
        at = 0;
        rows++;
        buffer[filled++] = '\n';
    }

    public long rows() {
        return rows;
    }

    private IllegalStateException violation(int column, String what) {
        return new IllegalStateException(file + ": row " + rows + ", column " + columns[column].name() + ": " + what);
    }

    private void text(String value) throws IOException {
        String cell = TableFile.quoted(value);
        int start = filled;
        boolean fits = cell.length() + ROOM <= BUFFER - filled;
        for (int i = 0; fits && i < cell.length(); i++) {
            buffer[filled++] = (byte) cell.charAt(i);
            fits = cell.charAt(i) < 0x80;
        }
        if (!fits) {
            filled = start;
            bytes(cell.getBytes(StandardCharsets.UTF_8));
        }
    }

    private void bytes(byte[] text) throws IOException {
        if (text.length + ROOM > BUFFER - filled) {
            flush();
        }
        if (text.length + ROOM > BUFFER) {
            out.write(text);
            return;
        }
        System.arraycopy(text, 0, buffer, filled, text.length);
        filled += text.length;
    }

    private void flush() throws IOException {
        out.write(buffer, 0, filled);
        filled = 0;
    }

    @Override
    public void close() throws IOException {
        try (out) {
            flush();
        }
        if (at != 0) {
            throw new IllegalStateException(file + ": closed within row " + rows);
        }
    }
}
