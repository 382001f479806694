package dev.stagesim.contract;

import java.util.List;

/** A rule for the integer columns of a row, or of a row and its predecessor. Rows with an empty value are exempt. */
public sealed interface RowInvariant {
    /** The integer columns that the rule reads. */
    List<String> columns();

    /** Returns the rule as text, for messages and the generated reference. */
    String describe();

    /** The column equals the running sum of another: {@code total = sum of addends so far}. */
    record RunningSum(String total, String addend) implements RowInvariant {
        @Override
        public List<String> columns() {
            return List.of(total, addend);
        }

        @Override
        public String describe() {
            return total + " is the running sum of " + addend;
        }
    }

    /** One column is never less than another in the same row. */
    record NotBefore(String later, String earlier) implements RowInvariant {
        @Override
        public List<String> columns() {
            return List.of(later, earlier);
        }

        @Override
        public String describe() {
            return later + " >= " + earlier;
        }
    }

    /** The values of the column strictly increase from row to row. */
    record Increasing(String column) implements RowInvariant {
        @Override
        public List<String> columns() {
            return List.of(column);
        }

        @Override
        public String describe() {
            return column + " increases from row to row";
        }
    }

    /** Within rows that share {@code group}, which are adjacent, {@code column} counts 0, 1, 2, ... */
    record CountsWithin(String group, String column) implements RowInvariant {
        @Override
        public List<String> columns() {
            return List.of(group, column);
        }

        @Override
        public String describe() {
            return column + " counts 0, 1, 2, ... within the adjacent rows of one " + group;
        }
    }
}
