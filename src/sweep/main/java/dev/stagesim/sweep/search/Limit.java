package dev.stagesim.sweep.search;

import dev.stagesim.contract.FormerNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bound on a metric.
 *
 * @param figure name of the metric
 * @param upper true for at most, false for at least
 * @param value the bound
 */
record Limit(String figure, boolean upper, double value) {
    private static final Pattern FORM = Pattern.compile("\\s*([A-Za-z0-9_]+)\\s*(<=?|>=?)\\s*([-+0-9.eE]+)\\s*");

    /**
     * Parses bounds such as {@code ttft_p99_ms<=500}.
     *
     * @param key the key with the bounds, for messages
     */
    static List<Limit> parse(List<String> texts, String key) {
        return texts.stream().map(text -> parse(text, key)).toList();
    }

    private static Limit parse(String text, String key) {
        Matcher form = FORM.matcher(text);
        if (form.matches()) {
            try {
                return new Limit(form.group(1), form.group(2).startsWith("<"), Double.parseDouble(form.group(3)));
            } catch (NumberFormatException e) {
                // reported below
            }
        }
        throw StageException.input(Problem.config(key, "'" + text + "' is not a bound on a metric")
                .note("expected", "METRIC<=NUMBER or METRIC>=NUMBER, such as ttft_p99_ms<=500"));
    }

    boolean holds(double actual) {
        return upper ? actual <= value : actual >= value;
    }

    /** Returns by how much a value violates the bound, relative to the bound; 0 or less if the bound is met. */
    double relativeViolation(double actual) {
        double excess = upper ? actual - value : value - actual;
        return value == 0 ? (excess > 0 ? Double.POSITIVE_INFINITY : excess) : excess / Math.abs(value);
    }

    /** Throws if there is no such metric. */
    void require(Collection<String> figures, String key) {
        if (!figures.contains(figure)) {
            Problem problem = Problem.config(key, "there is no metric '" + figure + "'");
            throw StageException.input(
                    FormerNames.suggest(problem, figure, figures).options(List.copyOf(figures)));
        }
    }

    String text() {
        return figure + (upper ? "<=" : ">=") + NumberText.number(value);
    }
}
