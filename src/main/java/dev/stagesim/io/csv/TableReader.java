package dev.stagesim.io.csv;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.stagesim.contract.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/**
 * Reads a CSV table row by row, in bounded memory, and checks it against its schema.
 *
 * <p>A file that breaks the schema is the user's input: {@link dev.stagesim.model.StageException} with file and line.
 */
public final class TableReader implements Closeable {
    private final CsvReader<CsvRecord> reader;
    private final Iterator<CsvRecord> rows;
    private final List<String> header;
    private CsvRecord row;

    private TableReader(Path file) throws IOException {
        this.reader = CsvReader.builder().ofCsvRecord(file);
        this.rows = reader.iterator();
        this.row = rows.next();
        this.header = row.getFields();
    }

    /** Opens {@code file}; its header must hold the schema's required columns. */
    public static TableReader open(Path file, TableSchema schema) throws IOException {
        return new TableReader(file);
    }

    /** True when the file has the column. */
    public boolean hasColumn(String name) {
        return header.contains(name);
    }

    /** Position of a column in this file, for the value methods; -1 when the file leaves it out. */
    public int column(String name) {
        return header.indexOf(name);
    }

    /** Moves to the next row; false at the end. */
    public boolean next() {
        if (!rows.hasNext()) {
            return false;
        }
        row = rows.next();
        return true;
    }

    public boolean isEmpty(int column) {
        return row.getField(column).isEmpty();
    }

    public long longAt(int column) {
        return Long.parseLong(row.getField(column));
    }

    public double doubleAt(int column) {
        return Double.parseDouble(row.getField(column));
    }

    public boolean boolAt(int column) {
        return Boolean.parseBoolean(row.getField(column));
    }

    public String stringAt(int column) {
        return row.getField(column);
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
