package dev.stagesim.contract;

/** Type of a table column. */
public enum ColumnType {
    INT64, // 64-bit signed integer, decimal digits.
    FLOAT64, // IEEE double, shortest text that reads back to the same value; never NaN or infinite.
    STRING, // Text.
    /** {@code true} or {@code false}. */
    BOOL
}
