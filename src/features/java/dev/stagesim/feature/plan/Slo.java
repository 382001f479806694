package dev.stagesim.feature.plan;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Upper bounds on figures of a service, all of which must hold. */
record Slo(List<SloBound> bounds) {
    private static final Pattern FORM = Pattern.compile("([a-z0-9_]+)\\s*<=?\\s*([0-9.eE+]+)");
    private static final List<String> NAMES = Stream.of("ttft", "tpot", "e2e")
            .flatMap(what -> Stream.of("p50", "p90", "p95", "p99").map(which -> what + "_" + which + "_ms"))
            .toList();
    private static final double PERCENT = 100;
    private static final String KEY = "slo";

    Slo {
        bounds = List.copyOf(bounds);
    }

    /**
     * A bound.
     *
     * @param figure name of the figure
     * @param most greatest value, in milliseconds
     */
    record SloBound(String figure, double most) {
        /** What is measured: ttft, tpot or e2e. */
        String kind() {
            return figure.substring(0, figure.indexOf('_'));
        }

        /** The quantile, 0 to 1. */
        double quantile() {
            int at = figure.indexOf("_p") + 2;
            return Integer.parseInt(figure.substring(at, figure.indexOf('_', at))) / PERCENT;
        }

        /** For people: P99 TTFT. */
        String words() {
            return "P" + Math.round(PERCENT * quantile()) + " " + kind().toUpperCase(Locale.ROOT);
        }

        boolean meetsSlo(double value) {
            return value <= most;
        }
    }

    /** Parses bounds with commas between; all that are wrong are told at once. */
    static Slo parse(String text) {
        List<SloBound> bounds = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            Matcher form = FORM.matcher(each.strip());
            if (!form.matches() || !isBound(number(form.group(2)))) {
                problems.add(Problem.config(KEY, "'" + each.strip() + "' is no upper bound on a figure")
                        .note("expected", "FIGURE<NUMBER with commas between, such as ttft_p99_ms<500,tpot_p99_ms<50"));
            } else if (!NAMES.contains(form.group(1))) {
                problems.add(Problem.config(KEY, "there is no figure '" + form.group(1) + "'")
                        .didYouMean(Suggest.near(form.group(1), NAMES))
                        .options(NAMES));
            } else {
                bounds.add(new SloBound(form.group(1), number(form.group(2))));
            }
        }
        StageException.refuse(problems);
        return new Slo(bounds);
    }

    private static boolean isBound(double value) {
        return value > 0 && value <= Double.MAX_VALUE;
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    /** The least bound on a kind of figure; infinite where there is none. */
    double least(String kind) {
        return bounds.stream()
                .filter(bound -> bound.kind().equals(kind))
                .mapToDouble(SloBound::most)
                .min()
                .orElse(Double.POSITIVE_INFINITY);
    }

    /** The bounds that figures break. */
    List<SloBound> broken(Map<String, Double> figures) {
        return bounds.stream()
                .filter(bound -> !bound.meetsSlo(figures.getOrDefault(bound.figure(), Double.POSITIVE_INFINITY)))
                .toList();
    }

    /** Smallest distance of a metric to its bound, as a share of the bound; negative if one is violated. */
    double margin(Map<String, Double> figures) {
        return bounds.stream()
                .mapToDouble(bound -> 1 - figures.getOrDefault(bound.figure(), Double.POSITIVE_INFINITY) / bound.most())
                .min()
                .orElse(0);
    }

    /** Figure and bound in words, such as {@code P99 TTFT 312 ms (limit 500)}. */
    static String measured(SloBound bound, Map<String, Double> figures) {
        return bound.words() + " " + Numbers.significant(figures.getOrDefault(bound.figure(), Double.NaN), 3)
                + " ms (limit " + Numbers.plain(bound.most()) + ")";
    }
}
