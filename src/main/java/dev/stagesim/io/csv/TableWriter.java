package dev.stagesim.io.csv;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.ColumnType;
import dev.stagesim.contract.TableSchema;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes a CSV table row by row and checks each row against its schema.
 *
 * <p>Values are put in column order; a row that breaks the schema is our bug and throws {@link IllegalStateException}
 * naming file, row and column.
 */
public final class TableWriter implements Closeable {
    private final BufferedWriter out;
    private final Path file;
    private final List<Column> columns;
    private int at;
    private long rows;

    private TableWriter(Path file, List<Column> columns) throws IOException {
        this.file = file;
        this.columns = columns;
        this.out = Files.newBufferedWriter(file);
        out.write(String.join(",", columns.stream().map(Column::name).toList()));
        out.write('\n');
    }

    /** Opens {@code file} for a table with every column of the schema. */
    public static TableWriter create(Path file, TableSchema schema) throws IOException {
        return new TableWriter(file, schema.columns());
    }

    /** Opens {@code file} for a table that leaves out the optional columns not named in {@code columns}. */
    public static TableWriter create(Path file, TableSchema schema, List<String> columns) throws IOException {
        return new TableWriter(
                file,
                schema.columns().stream()
                        .filter(c -> c.required() || columns.contains(c.name()))
                        .toList());
    }

    public TableWriter put(long value) throws IOException {
        return cell(ColumnType.INT64, Long.toString(value));
    }

    public TableWriter put(double value) throws IOException {
        return cell(ColumnType.FLOAT64, Double.toString(value));
    }

    public TableWriter put(String value) throws IOException {
        return cell(ColumnType.STRING, value);
    }

    public TableWriter put(boolean value) throws IOException {
        return cell(ColumnType.BOOL, Boolean.toString(value));
    }

    /** Leaves the next column of the row empty. */
    public TableWriter putEmpty() throws IOException {
        return cell(columns.get(at).type(), "");
    }

    private TableWriter cell(ColumnType type, String text) throws IOException {
        Column column = columns.get(at);
        if (column.type() != type) {
            throw new IllegalStateException(
                    file + ": column " + column.name() + " is " + column.type() + ", got " + type);
        }
        if (at++ > 0) {
            out.write(',');
        }
        out.write(text);
        return this;
    }

    /** Ends the row. */
    public void endRow() throws IOException {
        if (at != columns.size()) {
            throw new IllegalStateException(file + ": row " + rows + " has " + at + " values");
        }
        at = 0;
        rows++;
        out.write('\n');
    }

    public long rows() {
        return rows;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
