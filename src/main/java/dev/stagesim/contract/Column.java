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

    /**
     * A column as a line says it: {@code name | kind[?] [unit] [least..] | meaning}; a text may have its legal values, with
     * slashes between. A question mark lets values be empty, brackets around the name let a table leave the column out.
     */
    static Column of(Declaration line) {
        ColumnType type =
                switch (line.kind()) {
                    case "int" -> ColumnType.INT64;
                    case "real" -> ColumnType.FLOAT64;
                    case "text" -> ColumnType.STRING;
                    case "bool" -> ColumnType.BOOL;
                    default -> throw new IllegalArgumentException(line.name() + " has the kind " + line.kind());
                };
        Column column = of(line.name(), type, "", line.doc());
        for (String quality : line.qualities()) {
            column = column.with(quality);
        }
        column = line.isNullable() ? column.orEmpty() : column;
        return line.optional() ? column.optional() : column;
    }

    private Column with(String quality) {
        if (quality.endsWith("..")) {
            return atLeast(Double.parseDouble(quality.substring(0, quality.length() - 2)));
        }
        return type == ColumnType.STRING
                ? oneOf(List.of(quality.split("/", -1)))
                : new Column(name, type, quality, required, nullable, min, doc, values);
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
