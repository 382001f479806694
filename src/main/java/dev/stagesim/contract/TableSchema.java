package dev.stagesim.contract;

import java.util.List;
import java.util.Optional;

/**
 * Declared shape of one CSV artifact; readers and writers both check it.
 *
 * @param name file name, for example {@code request_metrics.csv}
 * @param version contract version; part of every run id that depends on the table
 * @param doc one sentence for the generated reference
 * @param columns columns in the order they are written
 * @param invariants row rules checked while streaming
 */
public record TableSchema(String name, int version, String doc, List<Column> columns, List<RowInvariant> invariants) {
    public TableSchema {
        columns = List.copyOf(columns);
        invariants = List.copyOf(invariants);
    }

    public Optional<Column> column(String columnName) {
        return columns.stream().filter(c -> c.name().equals(columnName)).findFirst();
    }

    /** Position of a column, or -1 when the schema has none of that name. */
    public int indexOf(String columnName) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(columnName)) {
                return i;
            }
        }
        return -1;
    }
}
