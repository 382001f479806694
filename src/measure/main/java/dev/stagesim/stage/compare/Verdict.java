package dev.stagesim.stage.compare;

import dev.stagesim.measure.CompareSettings.Tolerance;
import dev.stagesim.measure.CompareSettings.Tolerance.Direction;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether the simulation meets the tolerances.
 *
 * @param userLimits true if the user set the limits, false for the defaults
 * @param checks each limit with the compared error
 */
record Verdict(boolean userLimits, List<Check> checks) {
    /** Default limits in percent. */
    static final Map<String, Double> DEFAULT_LIMITS = defaultLimits();

    /**
     * One limit.
     *
     * @param name metric and statistic, as in the key of the tolerance
     * @param limit maximum error in percent
     * @param percent the error, or NaN if it has no value
     * @param direction errors that count
     */
    record Check(String name, double limit, double percent, Direction direction) {
        boolean holds() {
            return direction == Direction.EITHER ? Math.abs(percent) <= limit : worseBy() <= limit;
        }

        /**
         * Returns the percentage by which the second run is worse: a longer time, or a lower rate. It is negative if the
         * second run is better.
         */
        double worseBy() {
            return name.equals("throughput") ? -percent : percent;
        }
    }

    Verdict {
        checks = List.copyOf(checks);
    }

    private static Map<String, Double> defaultLimits() {
        Map<String, Double> limits = new LinkedHashMap<>();
        limits.put("ttft_p50", 15.0);
        limits.put("tpot_p50", 10.0);
        limits.put("e2e_p50", 10.0);
        limits.put("throughput", 5.0);
        return java.util.Collections.unmodifiableMap(limits);
    }

    boolean holds() {
        return checks.stream().allMatch(Check::holds);
    }

    List<Check> failed() {
        return checks.stream().filter(check -> !check.holds()).toList();
    }

    /** Compares the results with the limits. A limit on a metric that was not measured is an input error. */
    static Verdict of(
            Tolerance tolerance, List<MetricResult> metrics, List<PublishedRow> published, List<Throughput> rates) {
        Map<String, Double> limits = tolerance.limits();
        boolean userLimits = !limits.isEmpty();
        List<Check> checks = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        (userLimits ? limits : DEFAULT_LIMITS).forEach((name, limit) -> {
            Optional<Double> percent = percent(name, metrics, published, rates);
            percent.ifPresent(value -> checks.add(new Check(name, limit, value, tolerance.direction())));
            if (percent.isEmpty() && userLimits) {
                problems.add(Problem.config(
                        "compare.tolerance." + name + "_percent",
                        "has no effect: the metric is missing in one of the runs"));
            }
        });
        StageException.refuse(problems);
        return new Verdict(userLimits, checks);
    }

    private static Optional<Double> percent(
            String name, List<MetricResult> metrics, List<PublishedRow> published, List<Throughput> rates) {
        if (name.equals("throughput")) {
            return rates.stream()
                    .filter(rate -> rate.quantity().equals(Throughput.OUTPUT_TOKENS))
                    .findFirst()
                    .map(Throughput::percent);
        }
        int cut = name.lastIndexOf('_');
        String metric = name.substring(0, cut);
        String statistic = name.substring(cut + 1);
        return metrics.stream()
                .filter(m -> m.metric().key().equals(metric))
                .findFirst()
                .map(m -> m.row(statistic).percent())
                .or(() -> published.stream()
                        .filter(p -> p.metric().key().equals(metric)
                                && p.statistic().name().equals(statistic))
                        .findFirst()
                        .map(PublishedRow::percent));
    }
}
