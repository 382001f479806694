package dev.stagesim.contract;

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
 */
public record Column(
        String name, ColumnType type, String unit, boolean required, boolean nullable, double min, String doc) {

    public static Column int64(String name, String unit, String doc) {
        return new Column(name, ColumnType.INT64, unit, true, false, Double.NEGATIVE_INFINITY, doc);
    }

    public static Column float64(String name, String unit, String doc) {
        return new Column(name, ColumnType.FLOAT64, unit, true, false, Double.NEGATIVE_INFINITY, doc);
    }

    public static Column string(String name, String doc) {
        return new Column(name, ColumnType.STRING, "", true, false, Double.NEGATIVE_INFINITY, doc);
    }

    public static Column bool(String name, String doc) {
        return new Column(name, ColumnType.BOOL, "", true, false, Double.NEGATIVE_INFINITY, doc);
    }

    /** Returns this column with a least legal value. */
    public Column atLeast(double least) {
        return new Column(name, type, unit, required, nullable, least, doc);
    }

    /** Returns this column with empty values allowed. */
    public Column orEmpty() {
        return new Column(name, type, unit, required, true, min, doc);
    }

    /** Returns this column as one that a table may leave out. */
    public Column optional() {
        return new Column(name, type, unit, false, nullable, min, doc);
    }
}
