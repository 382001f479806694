package dev.stagesim.contract;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Declared schema of one CSV artifact, which readers and writers check.
 *
 * @param name file name, for example {@code request_metrics.csv}
 * @param version contract version; part of the id of every run that depends on the table
 * @param doc one sentence for the generated reference
 * @param columns columns in file order
 * @param invariants row rules, checked while streaming
 */
public record TableSchema(String name, int version, String doc, List<Column> columns, List<RowInvariant> invariants) {
    public TableSchema {
        columns = List.copyOf(columns);
        invariants = List.copyOf(invariants);
        Set<String> names = new HashSet<>();
        for (Column column : columns) {
            if (!names.add(column.name())) {
                throw new IllegalArgumentException(name + " declares column " + column.name() + " twice");
            }
        }
        for (RowInvariant invariant : invariants) {
            for (String column : invariant.columns()) {
                checkInvariant(name, columns, invariant, column);
            }
        }
    }

    /** Reads a declaration: {@code name version | meaning}, followed by one {@link Column} per line. */
    public static TableSchema of(String text, RowInvariant... invariants) {
        List<Declaration> lines = Declaration.read(text);
        Declaration head = lines.get(0);
        return new TableSchema(
                head.name(),
                head.version(),
                head.doc(),
                lines.stream().skip(1).map(Column::of).toList(),
                List.of(invariants));
    }

    private static void checkInvariant(String table, List<Column> columns, RowInvariant invariant, String column) {
        boolean declared = columns.stream().anyMatch(c -> c.name().equals(column) && c.type() == ColumnType.INT64);
        if (!declared) {
            throw new IllegalArgumentException(table + ": " + invariant + " needs an integer column " + column);
        }
    }

    public Optional<Column> column(String columnName) {
        return columns.stream().filter(c -> c.name().equals(columnName)).findFirst();
    }

    /** Returns the position of a column, or -1 if the schema has no such column. */
    public int indexOf(String columnName) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(columnName)) {
                return i;
            }
        }
        return -1;
    }
}
