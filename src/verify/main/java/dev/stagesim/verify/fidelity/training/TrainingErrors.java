package dev.stagesim.verify.fidelity.training;

import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Errors of predicted training steps: by group, in memory, and in the choice of a strategy. */
final class TrainingErrors {
    /** Rows for a fair prediction: steps with a stated variation of 40 % are omitted. */
    private static final String NOISY = "bigscience-v100";

    private static final int MIN_STRATEGIES = 4;
    private static final double PERCENT = 100;

    private final List<MeasuredStep> rows;
    private final double[] predicted;

    /**
     * Errors of a group of rows, percent.
     *
     * @param group name
     * @param rows rows
     * @param median median of the absolute error
     * @param tail ninetieth percentile of the absolute error
     * @param bias median of the signed error; below 0 when predicted too fast or too small
     */
    record Group(String group, int rows, double median, double tail, double bias) {}

    /**
     * Cost of choosing a strategy by the prediction.
     *
     * @param groups number of groups of rows that differ only in the strategy, with at least four strategies
     * @param mean mean slowdown of the chosen strategy relative to the fastest measured one, percent
     * @param tail ninetieth percentile of the slowdown
     */
    record Choice(int groups, double mean, double tail) {}

    private TrainingErrors(List<MeasuredStep> rows) {
        this.rows = rows.stream()
                .filter(row -> row.seconds().isPresent() && !row.source().equals(NOISY))
                .toList();
        predicted = this.rows.stream().mapToDouble(row -> row.predict().step()).toArray();
    }

    static TrainingErrors of(List<MeasuredStep> rows) {
        return new TrainingErrors(rows);
    }

    /** Predicted seconds of each row with a measured step, by name of the row. */
    Map<String, Double> predictions() {
        Map<String, Double> byId = new LinkedHashMap<>();
        for (int i = 0; i < predicted.length; i++) {
            byId.put(rows.get(i).id(), predicted[i]);
        }
        return byId;
    }

    /** All rows. */
    Group all() {
        return by(row -> "all").get(0);
    }

    /** Rows by a key, in order of the keys. */
    List<Group> by(Function<MeasuredStep, String> key) {
        Map<String, List<Double>> errors = new TreeMap<>();
        for (int i = 0; i < predicted.length; i++) {
            double error = PERCENT * (predicted[i] / rows.get(i).seconds().orElseThrow() - 1);
            errors.computeIfAbsent(key.apply(rows.get(i)), name -> new ArrayList<>())
                    .add(error);
        }
        return groups(errors);
    }

    /**
     * Errors by source if each step is predicted with one factor: the median of measured over predicted times of the other
     * steps with equal source, model, device and precision. Steps with fewer than two such steps are omitted.
     */
    List<Group> calibrated() {
        Map<String, List<Integer>> sameConfiguration = new TreeMap<>();
        for (int i = 0; i < predicted.length; i++) {
            MeasuredStep row = rows.get(i);
            String key =
                    row.group() + " " + row.machine().name() + " " + row.job().precision();
            sameConfiguration.computeIfAbsent(key, name -> new ArrayList<>()).add(i);
        }
        Map<String, List<Double>> errors = new TreeMap<>();
        for (List<Integer> group : sameConfiguration.values()) {
            if (group.size() > 2) {
                for (int i : group) {
                    double error = PERCENT * (predicted[i] * factor(group, i) / seconds(i) - 1);
                    errors.computeIfAbsent(rows.get(i).source(), name -> new ArrayList<>())
                            .add(error);
                    errors.computeIfAbsent("all", name -> new ArrayList<>()).add(error);
                }
            }
        }
        return groups(errors);
    }

    private double factor(List<Integer> group, int without) {
        double[] factors = group.stream()
                .filter(i -> i != without)
                .mapToDouble(i -> seconds(i) / predicted[i])
                .toArray();
        return Quantiles.of(factors, 0.5);
    }

    private double seconds(int row) {
        return rows.get(row).seconds().orElseThrow();
    }

    /** Errors of memory by source. */
    static List<Group> memory(List<MeasuredStep> rows) {
        Map<String, List<Double>> errors = new TreeMap<>();
        for (MeasuredStep row : rows) {
            row.memoryBytes().ifPresent(bytes -> errors.computeIfAbsent(row.source(), name -> new ArrayList<>())
                    .add(PERCENT * (row.predictMemory() / bytes - 1)));
        }
        return groups(errors);
    }

    private static List<Group> groups(Map<String, List<Double>> errors) {
        List<Group> groups = new ArrayList<>();
        errors.forEach((name, values) -> {
            double[] signed =
                    values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            double[] absolute = Arrays.stream(signed).map(Math::abs).sorted().toArray();
            groups.add(new Group(
                    name, signed.length, quantile(absolute, 0.5), quantile(absolute, 0.9), quantile(signed, 0.5)));
        });
        return groups;
    }

    private static double quantile(double[] sorted, double share) {
        return sorted[(int) Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    }

    /** Evaluates the choice among measured strategies with equal model, devices and batch. */
    Choice choice(String source) {
        Map<String, List<Integer>> groups = new TreeMap<>();
        for (int i = 0; i < rows.size(); i++) {
            MeasuredStep row = rows.get(i);
            if (row.source().equals(source)) {
                String key = row.model().name() + " " + row.strategy().devices() + " "
                        + row.job().globalBatch() + " " + row.job().sequence();
                groups.computeIfAbsent(key, name -> new ArrayList<>()).add(i);
            }
        }
        double[] regrets = groups.values().stream()
                .filter(group -> group.size() >= MIN_STRATEGIES)
                .mapToDouble(this::regret)
                .sorted()
                .toArray();
        return new Choice(
                regrets.length,
                Arrays.stream(regrets).average().orElse(0),
                regrets.length == 0 ? 0 : quantile(regrets, 0.9));
    }

    private double regret(List<Integer> group) {
        int chosen = group.get(0);
        double best = Double.MAX_VALUE;
        for (int i : group) {
            chosen = predicted[i] < predicted[chosen] ? i : chosen;
            best = Math.min(best, rows.get(i).seconds().orElseThrow());
        }
        return PERCENT * (rows.get(chosen).seconds().orElseThrow() / best - 1);
    }
}
