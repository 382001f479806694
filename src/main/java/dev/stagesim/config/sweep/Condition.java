package dev.stagesim.config.sweep;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A condition on the overrides of a job: terms {@code key=value}, also {@code != < <= > >=}, all of which must hold; {@code
 * |} separates values of which one must.
 *
 * @param text as written
 * @param terms the terms
 */
record Condition(String text, List<Term> terms) {
    private static final Pattern TERM = Pattern.compile("([^\\s=<>!]+)(!=|<=|>=|=|<|>)(\\S+)");

    /** One comparison. */
    record Term(String key, String operator, String value) {
        boolean holds(String actual) {
            return switch (operator) {
                case "=" -> List.of(value.split("\\|")).stream().anyMatch(one -> equal(actual, one));
                case "!=" -> List.of(value.split("\\|")).stream().noneMatch(one -> equal(actual, one));
                case "<" -> compare(actual) < 0;
                case "<=" -> compare(actual) <= 0;
                case ">" -> compare(actual) > 0;
                default -> compare(actual) >= 0;
            };
        }

        private static boolean equal(String actual, String expected) {
            return actual.equals(expected)
                    || (isNumber(actual)
                            && isNumber(expected)
                            && Double.parseDouble(actual) == Double.parseDouble(expected));
        }

        private int compare(String actual) {
            if (!isNumber(actual)) {
                throw StageException.input(
                        Problem.of("sweep error", key + operator + value, "'" + actual + "' is no number to compare"));
            }
            return Double.compare(Double.parseDouble(actual), Double.parseDouble(value));
        }
    }

    Condition {
        terms = List.copyOf(terms);
    }

    /** Parses a condition that stands in a key. */
    static Condition parse(String text, String where) {
        List<Term> terms = new ArrayList<>();
        for (String word : text.strip().split("\\s+", 0)) {
            Matcher term = TERM.matcher(word);
            boolean ordered = term.matches() && !term.group(2).endsWith("=");
            if (!term.matches() || (needsNumber(term.group(2)) && !isNumber(term.group(3)))) {
                throw StageException.input(Problem.of("config error", where, "'" + word + "' is no condition")
                        .note(
                                "expected",
                                ordered
                                        ? "a number after < or >"
                                        : "KEY=VALUE, or one of != < <= > >=; several by blanks"));
            }
            terms.add(new Term(term.group(1), term.group(2), term.group(3)));
        }
        return new Condition(text, terms);
    }

    private static boolean needsNumber(String operator) {
        return operator.startsWith("<") || operator.startsWith(">");
    }

    private static boolean isNumber(String text) {
        try {
            return !Double.isNaN(Double.parseDouble(text));
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** True when every term holds; a key that the job does not set equals nothing. */
    boolean holds(Map<String, String> job) {
        return terms.stream().allMatch(term -> {
            String actual = job.get(term.key());
            return actual == null ? term.operator().equals("!=") : term.holds(actual);
        });
    }
}
