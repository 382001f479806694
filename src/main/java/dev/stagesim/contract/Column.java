package dev.stagesim.contract;

import java.util.List;

/**
 * One column of a table.
 *
 * @param name header name
 * @param type type of every value
 * @param unit unit of the values; empty when they have none
 * @param required false when a table may leave the whole column out
 * @param nullable true when single values may be empty
 * @param min least legal number; {@link Double#NEGATIVE_INFINITY} for no bound
 * @param doc one sentence for the generated reference
 * @param values the legal texts of a string column; empty when any text is legal
 */
public record Column(
        String name,
        ColumnType type,
        String unit,
        boolean required,
        boolean nullable,
        double min,
        String doc,
        List<String> values) {
    public Column {
        values = List.copyOf(values);
    }

    private static Column of(String name, ColumnType type, String unit, String doc) {
        return new Column(name, type, unit, true, false, Double.NEGATIVE_INFINITY, doc, List.of());
    }

    public static Column int64(String name, String unit, String doc) {
        return of(name, ColumnType.INT64, unit, doc);
    }

    public static Column float64(String name, String unit, String doc) {
        return of(name, ColumnType.FLOAT64, unit, doc);
    }

    public static Column string(String name, String doc) {
        return of(name, ColumnType.STRING, "", doc);
    }

    public static Column bool(String name, String doc) {
        return of(name, ColumnType.BOOL, "", doc);
    }

    /** Returns this column with a least legal value. */
    public Column atLeast(double least) {
        return new Column(name, type, unit, required, nullable, least, doc, values);
    }

    /** Returns this column with empty values allowed. */
    public Column orEmpty() {
        return new Column(name, type, unit, required, true, min, doc, values);
    }

    /** Returns this column as one that a table may leave out. */
    public Column optional() {
        return new Column(name, type, unit, false, nullable, min, doc, values);
    }

    /** Returns this column with the only texts it may hold. */
    public Column oneOf(List<String> legal) {
        return new Column(name, type, unit, required, nullable, min, doc, legal);
    }
}
