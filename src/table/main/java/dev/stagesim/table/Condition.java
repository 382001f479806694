package dev.stagesim.table;

import dev.stagesim.contract.ColumnType;
import dev.stagesim.contract.FormerNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** One condition on the rows of a table, for example {@code ttft_ns>5e8}. */
record Condition(int column, Operator operator, ColumnType type, String text, double number, Pattern pattern) {
    private static final Pattern SHAPE = Pattern.compile("\\s*([^=!<>~\\s]+)\\s*(<=|>=|!=|=|<|>|~)\\s*(.*?)\\s*");

    private enum Operator {
        EQUAL("="),
        NOT_EQUAL("!="),
        LESS("<"),
        AT_MOST("<="),
        GREATER(">"),
        AT_LEAST(">="),
        MATCHES("~");

        private final String sign;

        Operator(String sign) {
            this.sign = sign;
        }

        static Operator of(String sign) {
            for (Operator operator : values()) {
                if (operator.sign.equals(sign)) {
                    return operator;
                }
            }
            throw new IllegalArgumentException(sign);
        }

        boolean accepts(int order) {
            return switch (this) {
                case EQUAL -> order == 0;
                case NOT_EQUAL -> order != 0;
                case LESS -> order < 0;
                case AT_MOST -> order <= 0;
                case GREATER -> order > 0;
                case AT_LEAST -> order >= 0;
                case MATCHES -> false;
            };
        }
    }

    static Condition parse(String text, List<String> header, List<ColumnType> types) {
        Matcher shape = SHAPE.matcher(text);
        if (!shape.matches()) {
            throw wrong(text, "expected COLUMN OP VALUE with =, !=, <, <=, >, >= or ~");
        }
        int column = position(shape.group(1), header, "--where");
        Operator operator = Operator.of(shape.group(2));
        String value = shape.group(3);
        ColumnType type = types.get(column);
        double number = 0;
        Pattern pattern = SHAPE;
        if (operator == Operator.MATCHES) {
            try {
                pattern = Pattern.compile(value);
            } catch (PatternSyntaxException e) {
                throw wrong(text, "not a regular expression: " + e.getDescription());
            }
        } else if (isNumeric(type) && !value.isEmpty()) {
            try {
                number = Double.parseDouble(value);
            } catch (NumberFormatException e) {
                throw wrong(text, "column " + header.get(column) + " contains numbers, got '" + value + "'");
            }
        }
        return new Condition(column, operator, type, value, number, pattern);
    }

    /** Returns the index of a column named in an option, or fails with a usage error. */
    static int position(String name, List<String> header, String option) {
        int at = header.indexOf(name);
        if (at < 0) {
            Problem problem = Problem.of("usage error", option, "there is no column '" + name + "'");
            throw StageException.input(
                    FormerNames.suggest(problem, name, header).options(header));
        }
        return at;
    }

    static boolean isNumeric(ColumnType type) {
        return type == ColumnType.INT64 || type == ColumnType.FLOAT64;
    }

    private static StageException wrong(String text, String what) {
        return StageException.input(Problem.of("usage error", "--where " + text, what));
    }

    /** Returns true if the row satisfies the condition. Empty cells can satisfy only = and !=. */
    boolean accepts(IntFunction<String> row) {
        String cell = row.apply(column);
        if (operator == Operator.MATCHES) {
            return pattern.matcher(cell).find();
        }
        if (cell.isEmpty() || text.isEmpty()) {
            return (operator == Operator.EQUAL && cell.equals(text))
                    || (operator == Operator.NOT_EQUAL && !cell.equals(text));
        }
        return operator.accepts(
                isNumeric(type) ? Double.compare(Double.parseDouble(cell), number) : cell.compareTo(text));
    }
}
