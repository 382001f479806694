package dev.stagesim.io.csv;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.ColumnType;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.parquet.ParquetReader;
import dev.stagesim.io.parquet.ParquetWriter;
import dev.stagesim.model.LongText;
import dev.stagesim.model.ShortestDouble;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table of a run, stored as CSV, compressed CSV or Parquet. Readers receive it as CSV. */
public final class TableFile {
    private TableFile() {}

    /** Returns the file of a table with this CSV name: the Parquet file if there is no CSV. */
    public static Path find(Path csv) {
        String name = String.valueOf(csv.getFileName());
        Path columns = csv.resolveSibling(TableFormat.PARQUET.file(name));
        return !Files.exists(csv) && Files.isRegularFile(columns) ? columns : csv;
    }

    /** True if a file with this name is a table. */
    public static boolean isTable(String name) {
        return TableFormat.isTable(name);
    }

    public static boolean exists(Path csv) {
        return Files.exists(find(csv));
    }

    /** Opens a table, or any other file, as text. */
    static InputStream open(Path file) throws IOException {
        Path found = find(file);
        return TableFormat.isParquet(found.toString()) ? raw(found) : InputFile.open(found);
    }

    /** Opens a table that this product has written, as text. */
    public static InputStream raw(Path found) throws IOException {
        return TableFormat.isParquet(found.toString()) ? new Text(ParquetReader.open(found)) : InputFile.raw(found);
    }

    /** Converts a table to Parquet and deletes the CSV. Columns have the types of the schema; other columns are text. */
    public static Path pack(Path csv, TableSchema schema, TableFormat format) throws IOException {
        Path file = csv.resolveSibling(format.file(String.valueOf(csv.getFileName())));
        try (TableReader rows = TableReader.open(csv, schema)) {
            pack(rows, schema, file, format);
        }
        Files.delete(csv);
        return file;
    }

    private static void pack(TableReader rows, TableSchema schema, Path file, TableFormat format) throws IOException {
        List<Column> columns = new ArrayList<>();
        for (String name : rows.header()) {
            columns.add(schema.column(name)
                    .orElseGet(() -> Column.string(name, "Text.").orEmpty()));
        }
        String table = schema.name() + " version " + schema.version();
        try (ParquetWriter out = new ParquetWriter(file, table, columns, format == TableFormat.PARQUET_GZIP)) {
            ColumnType[] types = columns.stream().map(Column::type).toArray(ColumnType[]::new);
            while (rows.next()) {
                for (int i = 0; i < types.length; i++) {
                    put(rows, types[i], i, out);
                }
                out.endRow();
            }
            out.finish();
        }
    }

    private static void put(TableReader rows, ColumnType type, int column, ParquetWriter out) {
        if (rows.isEmpty(column)) {
            out.putNull(column);
            return;
        }
        switch (type) {
            case INT64 -> out.put(column, rows.longAt(column));
            case FLOAT64 -> out.put(column, rows.doubleAt(column));
            case BOOL -> out.put(column, rows.stringAt(column).equals("true"));
            case STRING -> out.put(column, rows.stringAt(column));
        }
    }

    /** Returns a text as a CSV cell. */
    public static String quoted(String cell) {
        for (int i = 0; i < cell.length(); i++) {
            char c = cell.charAt(i);
            if (c == ',' || c == '"' || c == '\n' || c == '\r') {
                return '"' + cell.replace("\"", "\"\"") + '"';
            }
        }
        return cell;
    }

    /** Converts a Parquet table to CSV while it is read. */
    private static final class Text extends InputStream {
        private static final int BUFFER_SIZE = 1 << 16;
        private static final int MAX_CELL_LENGTH = Math.max(LongText.MAX_LENGTH, ShortestDouble.MAX_LENGTH) + 2;

        private final ParquetReader rows;
        private final ColumnType[] types;
        private byte[] bytes = new byte[BUFFER_SIZE];
        private int filled;
        private int at;
        private boolean isEnded;

        Text(ParquetReader rows) {
            this.rows = rows;
            List<String> names = rows.columns();
            this.types = new ColumnType[names.size()];
            for (int i = 0; i < types.length; i++) {
                types[i] = rows.type(i);
                text(quoted(names.get(i)));
                bytes[filled++] = (byte) (i + 1 < types.length ? ',' : '\n');
            }
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            if (at == filled) {
                filled = 0;
                at = 0;
                while (filled < BUFFER_SIZE && !isEnded) {
                    isEnded = !rows.next();
                    if (!isEnded) {
                        row();
                    }
                }
            }
            int count = Math.min(length, filled - at);
            System.arraycopy(bytes, at, to, offset, count);
            at += count;
            return count == 0 && length > 0 ? -1 : count;
        }

        private void row() {
            for (int i = 0; i < types.length; i++) {
                reserve(MAX_CELL_LENGTH);
                if (!rows.isNull(i)) {
                    cell(i);
                }
                bytes[filled++] = (byte) (i + 1 < types.length ? ',' : '\n');
            }
        }

        private void cell(int column) {
            switch (types[column]) {
                case INT64 -> filled = LongText.write(rows.longAt(column), bytes, filled);
                case FLOAT64 -> filled = ShortestDouble.write(rows.doubleAt(column), bytes, filled);
                case BOOL -> text(String.valueOf(rows.booleanAt(column)));
                case STRING -> text(quoted(rows.textAt(column)));
            }
        }

        private void text(String cell) {
            byte[] text = cell.getBytes(StandardCharsets.UTF_8);
            reserve(text.length + MAX_CELL_LENGTH);
            System.arraycopy(text, 0, bytes, filled, text.length);
            filled += text.length;
        }

        private void reserve(int count) {
            if (filled + count > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, filled + count));
            }
        }

        @Override
        public void close() throws IOException {
            rows.close();
        }
    }
}
