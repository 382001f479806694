package dev.stagesim.contract;

import java.util.List;

/**
 * One column of a table.
 *
 * @param name header name
 * @param type type of every value
 * @param unit unit of the values, or empty
 * @param required false if a table can omit the column
 * @param nullable true if single values can be empty
 * @param min minimum legal number, or {@link Double#NEGATIVE_INFINITY}
 * @param doc one sentence for the generated reference
 * @param values legal values of a string column, or empty for any text
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
     * Reads one line of a declaration: {@code name | kind[?] [unit] [min..] | meaning}. A text column can list its
     * legal values, separated by slashes. A question mark makes values optional; brackets around the name make the
     * column optional.
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
        for (String quality : line.qualifiers()) {
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

    /** Returns this column with a minimum value. */
    public Column atLeast(double minimum) {
        return new Column(name, type, unit, required, nullable, minimum, doc, values);
    }

    /** Returns this column with empty values allowed. */
    public Column orEmpty() {
        return new Column(name, type, unit, required, true, min, doc, values);
    }

    /** Returns this column as one that a table can omit. */
    public Column optional() {
        return new Column(name, type, unit, false, nullable, min, doc, values);
    }

    /** Returns this column with a list of legal texts. */
    public Column oneOf(List<String> legal) {
        return new Column(name, type, unit, required, nullable, min, doc, legal);
    }
}
