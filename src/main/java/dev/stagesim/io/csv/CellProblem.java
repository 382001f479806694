package dev.stagesim.io.csv;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.ColumnType;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.Suggest;

/** Words for a cell that breaks its column's declaration. */
final class CellProblem {
    private static final int MOST_SHOWN = 40;

    private CellProblem() {}

    static Problem of(String where, Column column, String text) {
        String shown = text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "..." : text;
        String found = text.isEmpty() ? "found nothing" : "found '" + shown + "'";
        Problem problem = Problem.of(
                "artifact error", where, "column " + column.name() + ": " + found + ", expected " + expected(column));
        if (!column.values().isEmpty()) {
            return problem.options(column.values()).didYouMean(Suggest.near(text, column.values()));
        }
        return problem;
    }

    private static String expected(Column column) {
        StringBuilder text = new StringBuilder(column.values().isEmpty() ? kind(column.type()) : "one of the options");
        if (column.min() != Double.NEGATIVE_INFINITY) {
            String least = ShortestDouble.of(column.min());
            text.append(" of at least ").append(least.endsWith(".0") ? least.substring(0, least.length() - 2) : least);
        }
        if (!column.unit().isEmpty()) {
            text.append(" (").append(column.unit()).append(')');
        }
        return text.toString();
    }

    private static String kind(ColumnType type) {
        return switch (type) {
            case INT64 -> "an integer";
            case FLOAT64 -> "a finite number";
            case STRING -> "text";
            case BOOL -> "true or false";
        };
    }
}
