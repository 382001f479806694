package dev.stagesim.sweep.search;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A figure that is to be small, or great.
 *
 * @param figure name of the figure
 * @param least true when small is good
 */
record Goal(String figure, boolean least) {
    private static final Pattern FORM = Pattern.compile("\\s*(min|max)\\s+([A-Za-z0-9_]+)\\s*");

    static Goal parse(String text, String key) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw StageException.input(Problem.config(key, "'" + text + "' is no goal")
                    .note("expected", "min FIGURE or max FIGURE, such as min usd_per_mtok"));
        }
        return new Goal(form.group(2), form.group(1).equals("min"));
    }

    void require(Collection<String> figures, String key) {
        if (!figures.contains(figure)) {
            throw StageException.input(Problem.config(key, "there is no figure '" + figure + "'")
                    .didYouMean(Suggest.near(figure, List.copyOf(figures)))
                    .options(List.copyOf(figures)));
        }
    }

    /** Negative when the first value is better. */
    int compare(double one, double other) {
        return least ? Double.compare(one, other) : Double.compare(other, one);
    }

    /** By which share a value is behind another; negative when it is ahead. */
    double behind(double value, double best) {
        double by = least ? value - best : best - value;
        return best == 0 ? (by == 0 ? 0 : Math.copySign(Double.POSITIVE_INFINITY, by)) : by / Math.abs(best);
    }
}
