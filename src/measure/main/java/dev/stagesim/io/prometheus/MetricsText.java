package dev.stagesim.io.prometheus;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One scrape of a metrics endpoint, in the text format of Prometheus or OpenMetrics.
 *
 * @param samples all samples by metric name, in the order of the text
 */
public record MetricsText(Map<String, List<Sample>> samples) {
    private static final String LABEL = "\\s*+[A-Za-z_]\\w*+\\s*+=\\s*+\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"\\s*+,?+";
    private static final Pattern LINE = Pattern.compile("([A-Za-z_:][\\w:]*+)(?:\\{((?:" + LABEL
            + ")*+)\\s*\\})?\\s+(\\S+)(?:\\s+-?[\\d.eE+]+)?" + "(?:\\s+#.*)?\\s*");
    private static final Pattern NAMED_VALUE =
            Pattern.compile("(\\w+)\\s*=\\s*\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"");
    private static final Pattern CUMULATIVE = Pattern.compile(".*_(?:total|bucket|count|sum)");
    static final String BOUND = "le";

    /** A value with its labels and its place in the text. */
    record Sample(Map<String, String> labels, double value, String where) {
        /** Labels without the upper bound of a bucket. */
        private String series() {
            Map<String, String> others = new TreeMap<>(labels);
            others.remove(BOUND);
            return others.toString();
        }
    }

    /**
     * Parses a scrape.
     *
     * @param source name of the text in messages
     */
    public static MetricsText parse(String source, String text) {
        Map<String, List<Sample>> samples = new TreeMap<>();
        Map<String, String> places = new TreeMap<>();
        List<Problem> problems = new ArrayList<>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size() && problems.size() < 10; i++) {
            String line = lines.get(i).strip();
            String where = source + ":" + (i + 1);
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Matcher matcher = LINE.matcher(line);
            Optional<Double> value = matcher.matches() ? number(matcher.group(3)) : Optional.empty();
            if (value.isEmpty()) {
                problems.add(Problem.artifact(where, "is not a sample, expected NAME{LABEL=\"TEXT\",...} NUMBER"));
                continue;
            }
            Map<String, String> labels = labels(matcher.group(2) == null ? "" : matcher.group(2));
            String earlier = places.putIfAbsent(matcher.group(1) + labels, where);
            if (earlier != null) {
                problems.add(
                        Problem.artifact(where, "repeats the sample " + matcher.group(1) + labels + " of " + earlier)
                                .hint("give one scrape in each file"));
            }
            samples.computeIfAbsent(matcher.group(1), name -> new ArrayList<>())
                    .add(new Sample(labels, value.get(), where));
        }
        StageException.refuse(problems);
        return new MetricsText(samples);
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new TreeMap<>();
        Matcher label = NAMED_VALUE.matcher(text);
        while (label.find()) {
            labels.put(label.group(1), label.group(2));
        }
        return labels;
    }

    private static Optional<Double> number(String text) {
        try {
            return Optional.of(
                    switch (text) {
                        case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
                        case "-Inf" -> Double.NEGATIVE_INFINITY;
                        default -> Double.parseDouble(text);
                    });
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns the samples of a metric, or none. */
    List<Sample> of(String name) {
        return samples.getOrDefault(name, List.of());
    }

    /** Returns the sum of all series of a metric, or empty if it is absent. */
    Optional<Double> sum(String name) {
        List<Sample> all = of(name);
        return all.isEmpty()
                ? Optional.empty()
                : Optional.of(all.stream().mapToDouble(Sample::value).sum());
    }

    /** Returns this scrape with the counters and histograms of an earlier scrape subtracted. */
    public MetricsText since(MetricsText earlier) {
        Map<String, List<Sample>> differences = new TreeMap<>(samples);
        differences.replaceAll((name, now) -> CUMULATIVE.matcher(name).matches()
                ? now.stream()
                        .map(sample -> new Sample(
                                sample.labels(), sample.value() - earlier.value(name, sample.labels()), sample.where()))
                        .toList()
                : now);
        return new MetricsText(differences);
    }

    private double value(String name, Map<String, String> labels) {
        return of(name).stream()
                .filter(sample -> sample.labels().equals(labels))
                .mapToDouble(Sample::value)
                .sum();
    }

    /** Returns the histogram of that name over the accepted series, or empty if it is absent or has no values. */
    Optional<Histogram> histogram(String name, Predicate<Map<String, String>> labels) {
        Map<String, List<Sample>> series = new TreeMap<>();
        of(name + "_bucket").stream()
                .filter(sample -> labels.test(sample.labels()))
                .forEach(sample -> series.computeIfAbsent(sample.series(), key -> new ArrayList<>())
                        .add(sample));
        if (series.isEmpty()) {
            return Optional.empty();
        }
        List<Histogram> all = new ArrayList<>();
        series.forEach((key, buckets) ->
                all.add(Histogram.of(buckets, part(name + "_count", key, buckets), part(name + "_sum", key, buckets))));
        Histogram whole = all.stream().reduce(Histogram::plus).orElseThrow();
        return whole.count() > 0 ? Optional.of(whole) : Optional.empty();
    }

    private Sample part(String name, String series, List<Sample> buckets) {
        return of(name).stream()
                .filter(sample -> sample.series().equals(series))
                .findFirst()
                .orElseThrow(() -> StageException.input(
                        Problem.artifact(buckets.get(0).where(), "is a bucket of a histogram without " + name)));
    }
}
