package dev.stagesim.contract;

/** A rule over the integer columns of a row, or of a row and its predecessor. */
public sealed interface RowInvariant {
    /** The column equals the running sum of another: {@code total = sum of addends so far}. */
    record RunningSum(String total, String addend) implements RowInvariant {}

    /** One column is never less than another in the same row; rows where either is empty are exempt. */
    record NotBefore(String later, String earlier) implements RowInvariant {}

    /** The values of the column strictly increase from row to row. */
    record Increasing(String column) implements RowInvariant {}

    /** Within rows that share {@code group}, which are adjacent, {@code column} counts 0, 1, 2, ... */
    record CountsWithin(String group, String column) implements RowInvariant {}
}
