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

/** Upper bounds on the latency percentiles of a service. */
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
     * One upper bound.
     *
     * @param metric name of the metric
     * @param limit maximum value in ms
     */
    record SloBound(String metric, double limit) {
        /** Returns the metric without its percentile: ttft, tpot or e2e. */
        String kind() {
            return metric.substring(0, metric.indexOf('_'));
        }

        /** Returns the quantile, from 0 to 1. */
        double quantile() {
            int at = metric.indexOf("_p") + 2;
            return Integer.parseInt(metric.substring(at, metric.indexOf('_', at))) / PERCENT;
        }

        /** Returns the name in reports, for example "P99 TTFT". */
        String label() {
            return "P" + Math.round(PERCENT * quantile()) + " " + kind().toUpperCase(Locale.ROOT);
        }

        boolean meetsSlo(double value) {
            return value <= limit;
        }
    }

    /** Parses comma-separated bounds and reports all errors at once. */
    static Slo parse(String text) {
        List<SloBound> bounds = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher form = FORM.matcher(part.strip());
            if (!form.matches() || !isBound(number(form.group(2)))) {
                problems.add(Problem.config(KEY, "'" + part.strip() + "' is not an upper bound on a metric")
                        .note("expected", "comma-separated METRIC<NUMBER, such as ttft_p99_ms<500,tpot_p99_ms<50"));
            } else if (!NAMES.contains(form.group(1))) {
                problems.add(Problem.config(KEY, "unknown metric '" + form.group(1) + "'")
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

    /** Returns the smallest limit of a metric; infinite if it has none. */
    double limit(String kind) {
        return bounds.stream()
                .filter(bound -> bound.kind().equals(kind))
                .mapToDouble(SloBound::limit)
                .min()
                .orElse(Double.POSITIVE_INFINITY);
    }

    /** Returns the bounds that the metrics violate. */
    List<SloBound> violated(Map<String, Double> metrics) {
        return bounds.stream()
                .filter(bound -> !bound.meetsSlo(metrics.getOrDefault(bound.metric(), Double.POSITIVE_INFINITY)))
                .toList();
    }

    /** Returns the smallest distance of a metric to its limit, as a share of the limit; negative if one is violated. */
    double margin(Map<String, Double> metrics) {
        return bounds.stream()
                .mapToDouble(
                        bound -> 1 - metrics.getOrDefault(bound.metric(), Double.POSITIVE_INFINITY) / bound.limit())
                .min()
                .orElse(0);
    }

    /** Describes a metric and its limit, for example {@code P99 TTFT 312 ms (limit 500)}. */
    static String measured(SloBound bound, Map<String, Double> metrics) {
        return bound.label() + " " + Numbers.significant(metrics.getOrDefault(bound.metric(), Double.NaN), 3)
                + " ms (limit " + Numbers.plain(bound.limit()) + ")";
    }
}
