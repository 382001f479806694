package dev.stagesim.table;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.ColumnType;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.StageRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Rows of a table with typed columns. A column without a declared type gets the narrowest type that fits all its values. */
final class TypedRows implements Closeable {
    private static final Map<String, TableSchema> DECLARED = StageRegistry.standard().stages().stream()
            .map(stage -> stage.spec().tables())
            .flatMap(Collection::stream)
            .collect(Collectors.toMap(TableSchema::name, schema -> schema, (one, same) -> one));

    private final CsvRows rows;
    private final List<ColumnType> types;

    private TypedRows(CsvRows rows, List<ColumnType> types) {
        this.rows = rows;
        this.types = types;
    }

    static TypedRows open(Path file) throws IOException {
        Optional<TableSchema> schema =
                Optional.ofNullable(DECLARED.get(TableFormat.csv(String.valueOf(file.getFileName()))));
        List<Optional<ColumnType>> known = new ArrayList<>();
        boolean complete;
        try (CsvRows head = CsvRows.open(file)) {
            for (String name : head.header()) {
                known.add(schema.flatMap(s -> s.column(name)).map(Column::type));
            }
            complete = known.stream().allMatch(Optional::isPresent);
        }
        List<ColumnType> types =
                complete ? known.stream().map(Optional::orElseThrow).toList() : narrowest(file, known);
        return new TypedRows(CsvRows.open(file), types);
    }

    /** Reads the complete file to infer types of columns without a schema. */
    private static List<ColumnType> narrowest(Path file, List<Optional<ColumnType>> known) throws IOException {
        ColumnType[] types = new ColumnType[known.size()];
        try (CsvRows rows = CsvRows.open(file)) {
            while (rows.next()) {
                for (int i = 0; i < types.length; i++) {
                    String text = rows.text(i);
                    if (known.get(i).isEmpty() && !text.isEmpty()) {
                        types[i] = wider(types[i] == null ? ColumnType.INT64 : types[i], text);
                    }
                }
            }
        }
        List<ColumnType> all = new ArrayList<>();
        for (int i = 0; i < types.length; i++) {
            all.add(known.get(i).orElse(types[i] == null ? ColumnType.STRING : types[i]));
        }
        return all;
    }

    private static ColumnType wider(ColumnType type, String text) {
        if (type == ColumnType.INT64 && !text.matches("-?\\d{1,18}")) {
            return isNumber(text) ? ColumnType.FLOAT64 : ColumnType.STRING;
        }
        return type == ColumnType.FLOAT64 && !isNumber(text) ? ColumnType.STRING : type;
    }

    private static boolean isNumber(String text) {
        try {
            return !Double.isNaN(Double.parseDouble(text)) && !text.matches(".*[a-df-zA-DF-Z].*");
        } catch (NumberFormatException notANumber) {
            return false;
        }
    }

    List<String> header() {
        return rows.header();
    }

    List<ColumnType> types() {
        return types;
    }

    boolean next() {
        return rows.next();
    }

    /** Returns the text of a cell in the format used by all printers; empty if the cell is empty. */
    String text(int column) {
        String text = rows.text(column);
        return types.get(column) == ColumnType.FLOAT64 && !text.isEmpty() ? ShortestDouble.of(number(column)) : text;
    }

    /** Parses the number in a non-empty cell. */
    double number(int column) {
        try {
            return Double.parseDouble(rows.text(column));
        } catch (NumberFormatException damaged) {
            throw damaged(column);
        }
    }

    long integer(int column) {
        try {
            return Long.parseLong(rows.text(column));
        } catch (NumberFormatException damaged) {
            throw damaged(column);
        }
    }

    private StageException damaged(int column) {
        return StageException.input(rows.problem("column " + header().get(column) + ": expected "
                + types.get(column).name().toLowerCase(java.util.Locale.ROOT) + ", got '" + rows.text(column) + "'"));
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }
}
