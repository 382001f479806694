package dev.stagesim.verify.fidelity;

import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Checks the correction and the interval of a prediction on groups of rows that were not used for them: each group is left out
 * in turn. Both come from rows of the same engine, device, kind of model, metric and load, or from fewer of these properties if
 * too few rows remain. Each remaining group has the same weight, because rows of one group have similar errors.
 */
final class LeftOut {
    /** Properties of a group that is left out. */
    static final Map<String, Function<Row, String>> FACTORS = factors();

    private static final int MIN_ROWS = 20;

    /** Quantiles of the 80 % interval. Quantiles of 0.1 and 0.9 contain only two thirds of the rows of unknown groups. */
    private static final double LOW = 0.05;

    private static final double HIGH = 0.95;
    private static final double MEDIAN = 0.5;
    private static final double P90 = 0.9;
    private static final int SMALL_LOAD = 8;
    private static final int LARGE_LOAD = 64;

    private final List<RowPrediction> rows;
    private final Function<Row, String> kind;
    private final Function<Row, String> metric;

    /** An error and its weight. */
    private record Weighted(double logRatio, double weight) {}

    /**
     * Results for all rows of a factor.
     *
     * @param fitted absolute errors in percent after a correction by all similar rows
     * @param leftOut absolute errors in percent after a correction by similar rows of other groups
     * @param covered share of the rows in the 80 % interval of similar rows of other groups
     */
    record Result(double[] fitted, double[] leftOut, double covered) {}

    LeftOut(List<RowPrediction> rows, Function<Row, String> kind, Function<Row, String> metric) {
        this.rows = rows;
        this.kind = kind;
        this.metric = metric;
    }

    private static Map<String, Function<Row, String>> factors() {
        Map<String, Function<Row, String>> factors = new LinkedHashMap<>();
        factors.put("model", row -> row.setup().model());
        factors.put("device", row -> row.setup().gpu());
        factors.put(
                "engine version",
                row -> row.setup().engine() + " " + row.setup().version());
        factors.put("source", row -> row.origin().source());
        return factors;
    }

    private List<String> levels(Row row) {
        double amount = row.load().amount();
        String load = amount <= SMALL_LOAD ? "small" : amount <= LARGE_LOAD ? "medium" : "large";
        String engine = row.setup().engine().replaceAll("_.*", "");
        String name = metric.apply(row);
        String device = row.setup().gpu().replaceAll("-.*", "");
        return List.of(
                String.join("|", name, engine, device, kind.apply(row), load),
                String.join("|", name, engine, device, kind.apply(row)),
                String.join("|", name, engine, kind.apply(row)),
                String.join("|", name, engine),
                name);
    }

    Result of(Function<Row, String> factor) {
        Map<String, Map<String, List<Double>>> similar = new HashMap<>();
        for (RowPrediction each : rows) {
            for (String level : levels(each.row())) {
                similar.computeIfAbsent(level, none -> new HashMap<>())
                        .computeIfAbsent(factor.apply(each.row()), none -> new ArrayList<>())
                        .add(logRatio(each));
            }
        }
        Map<String, Optional<double[]>> known = new HashMap<>();
        List<Double> fitted = new ArrayList<>();
        List<Double> leftOut = new ArrayList<>();
        int covered = 0;
        for (RowPrediction each : rows) {
            String group = factor.apply(each.row());
            Optional<double[]> others = Optional.empty();
            Optional<double[]> all = Optional.empty();
            for (String level : levels(each.row())) {
                if (others.isEmpty()) {
                    others = known.computeIfAbsent(
                            level + "\n" + group,
                            none -> interval(similar.getOrDefault(level, Map.of()), Optional.of(group)));
                    all = known.computeIfAbsent(
                            level, none -> interval(similar.getOrDefault(level, Map.of()), Optional.empty()));
                }
            }
            if (others.isPresent() && all.isPresent()) {
                double ratio = logRatio(each);
                fitted.add(percent(ratio - all.get()[1]));
                leftOut.add(percent(ratio - others.get()[1]));
                covered += ratio >= others.get()[0] && ratio <= others.get()[2] ? 1 : 0;
            }
        }
        return new Result(array(fitted), array(leftOut), covered / (double) Math.max(1, leftOut.size()));
    }

    private static double logRatio(RowPrediction each) {
        return Math.log(each.row().value() / each.predicted());
    }

    /** Returns the absolute error in percent of the measured value. */
    private static double percent(double logRatio) {
        return Math.abs(Math.exp(-logRatio) - 1) * 100;
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    }

    /** Returns low end, median and high end; empty if too few rows remain. */
    private static Optional<double[]> interval(Map<String, List<Double>> groups, Optional<String> without) {
        List<Weighted> values = new ArrayList<>();
        groups.forEach((group, ratios) -> {
            if (without.isEmpty() || !without.get().equals(group)) {
                ratios.forEach(ratio -> values.add(new Weighted(ratio, 1.0 / ratios.size())));
            }
        });
        if (values.size() < MIN_ROWS) {
            return Optional.empty();
        }
        values.sort(Comparator.comparingDouble(Weighted::logRatio));
        return Optional.of(new double[] {quantile(values, LOW), quantile(values, MEDIAN), quantile(values, HIGH)});
    }

    private static double quantile(List<Weighted> values, double share) {
        double total = values.stream().mapToDouble(Weighted::weight).sum();
        double sum = 0;
        for (Weighted each : values) {
            sum += each.weight();
            if (sum >= share * total) {
                return each.logRatio();
            }
        }
        return values.get(values.size() - 1).logRatio();
    }

    static double median(double[] sorted) {
        return Quantiles.ofSorted(sorted, MEDIAN);
    }

    static double p90(double[] sorted) {
        return Quantiles.ofSorted(sorted, P90);
    }
}
