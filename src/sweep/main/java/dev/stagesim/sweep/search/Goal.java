package dev.stagesim.sweep.search;

import dev.stagesim.contract.FormerNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sweep.search.Screening.Seen;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A metric to minimise or maximise.
 *
 * @param figure name of the metric
 * @param minimise true to minimise
 */
record Goal(String figure, boolean minimise) {
    private static final Pattern FORM = Pattern.compile("\\s*(min|max)\\s+([A-Za-z0-9_]+)\\s*");

    static Goal parse(String text, String key) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw StageException.input(Problem.config(key, "'" + text + "' is not a goal")
                    .note("expected", "min METRIC or max METRIC, such as min usd_per_mtok"));
        }
        return new Goal(form.group(2), form.group(1).equals("min"));
    }

    void require(Collection<String> figures, String key) {
        if (!figures.contains(figure)) {
            Problem problem = Problem.config(key, "there is no metric '" + figure + "'");
            throw StageException.input(
                    FormerNames.suggest(problem, figure, figures).options(List.copyOf(figures)));
        }
    }

    /** Returns a negative number if the first value is better. */
    int compare(double first, double second) {
        return minimise ? Double.compare(first, second) : Double.compare(second, first);
    }

    /** Returns the order of simulated candidates by their means over the seeds, the best one first. */
    Comparator<Seen> order() {
        return (first, second) ->
                compare(first.sample().mean(figure), second.sample().mean(figure));
    }

    /** Returns by how much a value is worse than another, relative to the other; negative if it is better. */
    double behind(double value, double best) {
        double by = minimise ? value - best : best - value;
        return best == 0 ? (by == 0 ? 0 : Math.copySign(Double.POSITIVE_INFINITY, by)) : by / Math.abs(best);
    }
}
