package dev.stagesim.table;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.ColumnType;
import dev.stagesim.io.parquet.ParquetWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Writes query results as Parquet. All columns are optional. */
final class ParquetRows implements TableAnswers.Printer {
    private final List<ColumnType> types;
    private final ParquetWriter out;

    ParquetRows(Path file, String table, List<String> header, List<ColumnType> types) throws IOException {
        this.types = types;
        List<Column> columns = IntStream.range(0, types.size())
                .mapToObj(i -> column(header.get(i), types.get(i)).orEmpty())
                .toList();
        this.out = new ParquetWriter(file, table, columns, false);
    }

    private static Column column(String name, ColumnType type) {
        String doc = "Column of a query result.";
        return switch (type) {
            case INT64 -> Column.int64(name, "", doc);
            case FLOAT64 -> Column.float64(name, "", doc);
            case BOOL -> Column.bool(name, doc);
            case STRING -> Column.string(name, doc);
        };
    }

    @Override
    public void row(List<String> cells) throws IOException {
        for (int i = 0; i < cells.size(); i++) {
            String cell = cells.get(i);
            if (cell.isEmpty()) {
                out.putNull(i);
                continue;
            }
            switch (types.get(i)) {
                case INT64 -> out.put(i, Long.parseLong(cell));
                case FLOAT64 -> out.put(i, Double.parseDouble(cell));
                case BOOL -> out.put(i, cell.equals("true"));
                case STRING -> out.put(i, cell);
            }
        }
        out.endRow();
    }

    @Override
    public void finish() throws IOException {
        out.finish();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
