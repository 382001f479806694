package dev.stagesim.sweep;

import dev.stagesim.report.Explorer;
import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Summarises the metrics of a sweep: the range of each metric, the best job, and the key with the largest influence.
 */
public final class Spread {
    /** Parts of the names of metrics that are reported first, if they differ between jobs. */
    private static final List<String> LATENCY = List.of("ttft_p99", "p99", "step_s", "finish");

    private static final List<String> THROUGHPUT = List.of("throughput_tokens", "throughput", "tokens_per");
    private static final int DIGITS = 5;

    private final List<JobOutcome> jobs;
    private final SweepTables tables;
    private final List<String> reported;

    private record Valued(JobOutcome job, double value) {}

    Spread(List<JobOutcome> jobs) {
        this.jobs = jobs.stream().filter(job -> job.run().isPresent()).toList();
        this.tables = new SweepTables(jobs);
        List<String> varied = tables.figures().stream().filter(this::varies).toList();
        List<String> named = Stream.of(LATENCY, THROUGHPUT)
                .flatMap(parts -> named(varied, parts).stream())
                .distinct()
                .toList();
        this.reported = named.isEmpty() ? varied.subList(0, Math.min(1, varied.size())) : named;
    }

    private static Optional<String> named(List<String> figures, List<String> parts) {
        return parts.stream()
                .flatMap(part -> figures.stream().filter(figure -> figure.contains(part)))
                .findFirst();
    }

    private List<Valued> values(String figure) {
        List<Valued> values = new ArrayList<>();
        for (JobOutcome job : jobs) {
            Double value = job.run().orElseThrow().meta().headlines().get(figure);
            if (value != null && Double.isFinite(value)) {
                values.add(new Valued(job, value));
            }
        }
        return values;
    }

    private boolean varies(String figure) {
        return values(figure).stream().mapToDouble(Valued::value).distinct().count() > 1;
    }

    /** Returns the sentence of the first metric with a trailing space; empty if no metric differs between jobs. */
    String answer() {
        return reported.isEmpty() ? "" : range(reported.get(0)) + " ";
    }

    /** Returns further sentences. */
    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        reported.stream().skip(1).map(this::range).forEach(sentences::add);
        reported.forEach(figure -> mover(figure).ifPresent(sentences::add));
        return sentences;
    }

    private String range(String figure) {
        boolean lowerIsBetter = Explorer.lowerIsBetter(figure);
        List<Valued> sorted = values(figure).stream()
                .sorted(Comparator.comparingDouble(Valued::value))
                .toList();
        Valued low = sorted.get(0);
        Valued high = sorted.get(sorted.size() - 1);
        JobOutcome best = (lowerIsBetter ? low : high).job();
        Map<String, String> values = SweepTables.values(best.overrides());
        List<String> settings = tables.swept().stream()
                .filter(values::containsKey)
                .map(key -> key + "=" + values.get(key))
                .toList();
        double value = lowerIsBetter ? low.value() : high.value();
        long equal = sorted.stream().filter(valued -> valued.value() == value).count();
        return String.format(
                Locale.ROOT,
                "%s is %s to %s, %s in #%d (%s)%s.",
                figure,
                Numbers.significant(low.value(), DIGITS),
                Numbers.significant(high.value(), DIGITS),
                lowerIsBetter ? "lowest" : "highest",
                best.num(),
                String.join(" ", settings),
                equal == 1 ? "" : " and " + (equal - 1) + " more");
    }

    /** Returns the key that explains most of a metric's variance, if several keys differ. */
    private Optional<String> mover(String figure) {
        List<Valued> all = values(figure);
        double[] values = all.stream().mapToDouble(Valued::value).toArray();
        if (tables.swept().size() < 2) {
            return Optional.empty();
        }
        Map<String, Double> shares = new HashMap<>();
        for (String key : tables.swept()) {
            List<String> levels = all.stream()
                    .map(valued -> SweepTables.values(valued.job().overrides()).getOrDefault(key, ""))
                    .toList();
            shares.put(key, levels.stream().distinct().count() == levels.size() ? 0 : share(levels, values));
        }
        return tables.swept().stream()
                .filter(key -> shares.getOrDefault(key, 0.0) > 0)
                .max(Comparator.comparingDouble(shares::get))
                .map(key -> String.format(
                        Locale.ROOT,
                        "%s explains %.0f %% of the variance of %s.",
                        key,
                        100 * shares.getOrDefault(key, 0.0),
                        figure));
    }

    /**
     * Returns the share of the variance of values that the levels of a key explain: the sum of squares between level
     * means, divided by the total sum of squares. NaN if the values do not differ.
     */
    public static double share(List<String> levels, double[] values) {
        Map<String, double[]> sums = new HashMap<>();
        double sum = 0;
        for (int i = 0; i < values.length; i++) {
            double[] level = sums.computeIfAbsent(levels.get(i), none -> new double[2]);
            level[0] += values[i];
            level[1]++;
            sum += values[i];
        }
        double mean = sum / values.length;
        double all = 0;
        for (double value : values) {
            all += (value - mean) * (value - mean);
        }
        double between = sums.values().stream()
                .mapToDouble(level -> level[1] * Math.pow(level[0] / level[1] - mean, 2))
                .sum();
        return all > 1e-24 * mean * mean ? between / all : Double.NaN;
    }
}
