package dev.stagesim.contract;

/** Type of a table column. */
public enum ColumnType {
    /** 64-bit signed integer, decimal digits. */
    INT64,
    /** IEEE double, shortest text that reads back to the same value; never NaN or infinite. */
    FLOAT64,
    /** Text. */
    STRING,
    /** {@code true} or {@code false}. */
    BOOL
}
