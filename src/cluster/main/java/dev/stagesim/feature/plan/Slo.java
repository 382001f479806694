package dev.stagesim.feature.plan;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Upper bounds on the latency percentiles of a service. */
record Slo(List<SloBound> bounds) {
    private static final Pattern FORM =
            Pattern.compile("([a-z0-9_]+?)(_m?s)?\\s*<=?\\s*([0-9.]+(?:e\\+?[0-9]+)?)\\s*(m?s)?");
    private static final Pattern METRIC = Pattern.compile("(?:(p[0-9]+)_)?([a-z][a-z0-9]*?)(?:_(p[0-9]+))?");
    private static final Pattern SEPARATOR = Pattern.compile("\\s*,\\s*|\\s+(?=[a-z][a-z0-9_]*\\s*<)");
    private static final List<String> NAMES = Stream.of("ttft", "tpot", "e2e")
            .flatMap(what -> Stream.of("p50", "p90", "p95", "p99").map(which -> what + "_" + which + "_ms"))
            .toList();
    private static final double PERCENT = 100;
    private static final double MS_PER_S = 1000;
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

    /**
     * Parses bounds that are separated by commas or blanks and reports all errors at once. Limits are in ms unless they have
     * the unit s. A metric without a percentile is the P99.
     */
    static Slo parse(String text) {
        List<SloBound> bounds = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (String part : SEPARATOR.split(text.strip().toLowerCase(Locale.ROOT), -1)) {
            Matcher form = FORM.matcher(part.strip());
            if (!form.matches() || !isBound(limitMs(form))) {
                problems.add(Problem.config(KEY, "'" + part.strip() + "' is not an upper bound on a metric")
                        .note("expected", "comma-separated METRIC<NUMBER, such as ttft_p99_ms<500,tpot_p99_ms<50"));
                continue;
            }
            String metric = metric(form.group(1));
            if (NAMES.contains(metric)) {
                bounds.add(new SloBound(metric, limitMs(form)));
            } else {
                problems.add(Problem.config(KEY, "unknown metric '" + form.group(1) + "'")
                        .didYouMean(Suggest.near(metric, NAMES))
                        .options(NAMES));
            }
        }
        StageException.refuse(problems);
        return new Slo(bounds);
    }

    /** Returns the name of a metric that can have its percentile first, or none. */
    private static String metric(String text) {
        Matcher parts = METRIC.matcher(text);
        if (!parts.matches() || (parts.group(1) != null && parts.group(3) != null)) {
            return text;
        }
        String percentile = Stream.of(parts.group(1), parts.group(3))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse("p99");
        return parts.group(2) + "_" + percentile + "_ms";
    }

    /** Returns a limit in ms; the unit of the value has precedence over that of the metric. */
    private static double limitMs(Matcher form) {
        String unit = form.group(4) != null
                ? form.group(4)
                : form.group(2) == null ? "ms" : form.group(2).substring(1);
        return (unit.equals("s") ? MS_PER_S : 1) * number(form.group(3));
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

    /** Returns these bounds for tables, and the P99 TTFT without a limit if none of them is on the TTFT. */
    Slo shown() {
        if (bounds.stream().anyMatch(bound -> bound.kind().equals("ttft"))) {
            return this;
        }
        List<SloBound> shown = new ArrayList<>(bounds);
        shown.add(new SloBound("ttft_p99_ms", Double.POSITIVE_INFINITY));
        return new Slo(shown);
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
