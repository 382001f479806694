package dev.stagesim.predict;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;

/**
 * Cross-validation of a predictor: absolute percentage errors over five folds.
 *
 * <p>All rows of one size are in the same fold; sizes are assigned to folds in turn, in ascending order. A high error
 * means that the bundle is too sparse or too noisy for the operator.
 */
public final class HeldOut {
    private static final int FOLDS = 5;
    private static final double PERCENT = 100;

    private HeldOut() {}

    /**
     * Absolute percentage errors of one operator.
     *
     * @param mean mean error; a few outliers among the measured rows can dominate it
     * @param rows rows predicted
     */
    public record Error(double mean, double median, int rows) {}

    /** Errors by operator, without operators that have fewer than ten sizes or take no time. */
    public static Map<Operator, Error> errors(Profile profile, Learner learner) {
        Map<Operator, Error> errors = new EnumMap<>(Operator.class);
        profile.curves().forEach((operator, curve) -> {
            Optional<Error> error = curve.isZero() ? Optional.empty() : error(curve, learner);
            error.ifPresent(value -> errors.put(operator, value));
        });
        error(Operator.ATTN_PREFILL, profile.prefill(), learner)
                .ifPresent(value -> errors.put(Operator.ATTN_PREFILL, value));
        error(Operator.ATTN_DECODE, profile.decode(), learner)
                .ifPresent(value -> errors.put(Operator.ATTN_DECODE, value));
        return errors;
    }

    static Optional<Error> error(Curve curve, Learner learner) {
        TreeSet<Double> sizes = new TreeSet<>();
        for (int i = 0; i < curve.rows(); i++) {
            sizes.add(curve.size(i));
        }
        if (sizes.size() < 2 * FOLDS) {
            return Optional.empty();
        }
        int[] folds = new int[curve.rows()];
        Map<Double, Integer> ranks = ranks(sizes);
        for (int i = 0; i < folds.length; i++) {
            folds[i] = ranks.getOrDefault(curve.size(i), 0) % FOLDS;
        }
        Total total = new Total();
        for (int fold = 0; fold < FOLDS; fold++) {
            DoubleUnaryOperator learnt = learner.curve(without(curve, folds, fold));
            for (int i = 0; i < folds.length; i++) {
                if (folds[i] == fold) {
                    total.add(learnt.applyAsDouble(curve.size(i)), curve.milliseconds(i));
                }
            }
        }
        return total.error();
    }

    private static Curve without(Curve curve, int[] folds, int fold) {
        int n = (int) Arrays.stream(folds).filter(f -> f != fold).count();
        double[] sizes = new double[n];
        double[] ms = new double[n];
        int at = 0;
        for (int i = 0; i < folds.length; i++) {
            if (folds[i] != fold) {
                sizes[at] = curve.size(i);
                ms[at++] = curve.milliseconds(i);
            }
        }
        return new Curve(sizes, ms);
    }

    static Optional<Error> error(Operator operator, Surface surface, Learner learner) {
        TreeSet<Long> points = new TreeSet<>();
        int maxKv = 0;
        int maxCount = 0;
        for (int i = 0; i < surface.rows(); i++) {
            points.add(point(surface, i));
            maxKv = Math.max(maxKv, surface.kvTokens(i));
            maxCount = Math.max(maxCount, surface.count(i));
        }
        if (points.size() < 2 * FOLDS) {
            return Optional.empty();
        }
        Map<Long, Integer> ranks = ranks(points);
        int[] folds = new int[surface.rows()];
        for (int i = 0; i < folds.length; i++) {
            folds[i] = ranks.getOrDefault(point(surface, i), 0) % FOLDS;
        }
        Total total = new Total();
        for (int fold = 0; fold < FOLDS; fold++) {
            Learner.ByKvAndCount learnt = learner.surface(operator, without(surface, folds, fold), maxKv, maxCount);
            for (int i = 0; i < folds.length; i++) {
                if (folds[i] == fold) {
                    total.add(learnt.at(surface.kvTokens(i), surface.count(i)), surface.milliseconds(i));
                }
            }
        }
        return total.error();
    }

    private static long point(Surface surface, int row) {
        return (long) surface.count(row) << Integer.SIZE | surface.kvTokens(row);
    }

    private static Surface without(Surface surface, int[] folds, int fold) {
        int n = (int) Arrays.stream(folds).filter(f -> f != fold).count();
        int[] kv = new int[n];
        int[] counts = new int[n];
        double[] ms = new double[n];
        int at = 0;
        for (int i = 0; i < folds.length; i++) {
            if (folds[i] != fold) {
                kv[at] = surface.kvTokens(i);
                counts[at] = surface.count(i);
                ms[at++] = surface.milliseconds(i);
            }
        }
        return new Surface(kv, counts, ms);
    }

    private static <T extends Comparable<T>> Map<T, Integer> ranks(TreeSet<T> values) {
        Map<T, Integer> ranks = new TreeMap<>();
        values.forEach(value -> ranks.put(value, ranks.size()));
        return ranks;
    }

    private static final class Total {
        private final List<Double> errors = new ArrayList<>();

        void add(double predicted, double measured) {
            if (measured > 0) {
                errors.add(PERCENT * Math.abs(predicted - measured) / measured);
            }
        }

        Optional<Error> error() {
            if (errors.isEmpty()) {
                return Optional.empty();
            }
            double sum = 0;
            for (double error : errors) {
                sum += error;
            }
            Collections.sort(errors);
            int n = errors.size();
            double median = (errors.get((n - 1) / 2) + errors.get(n / 2)) / 2;
            return Optional.of(new Error(sum / n, median, n));
        }
    }
}
