package dev.stagesim.stats;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Fit of bounded coefficients to relative errors. The model is y = sum of x times the coefficients; each coefficient is
 * either fitted or keeps its base value.
 *
 * <p>Observations of one kind have errors of similar size, and each kind is weighted by the size of its errors. Large
 * errors are down-weighted (Huber weights, by iterative reweighting), so that a few outliers do not dominate. The weights
 * are divided by the predicted share of the measured time. Predictions that are too high and too low by the same ratio then
 * count the same; errors relative to the measured time alone would lead to low predictions.
 * Coefficients are selected one at a time: the next one is the first with the largest reduction of the criterion, sum
 * of 2 n ln(mean |error|) over the kinds plus k ln n, while the reduction exceeds {@link #MIN_IMPROVEMENT}.
 */
public final class RelativeFit {
    private static final double HUBER = 1.345;
    private static final double NORMAL_MAD = 1.4826;
    private static final int ROUNDS = 20;

    /** Errors below this do not justify another coefficient. */
    private static final double FLOOR = 1e-3;

    private static final double MIN_IMPROVEMENT = 2;

    /** Share of a column's norm below which it counts as a linear combination of other columns. */
    private static final double DEPENDENT = 1e-6;

    /**
     * Minimum share of a column not explained by other columns, below which observations cannot identify its
     * coefficient.
     */
    private static final double IDENTIFIED = 0.01;

    /** Minimum predicted share of a measured time in the weights. */
    private static final double MIN_WEIGHED = 0.5;

    /** Minimum share of a measured time in a score. */
    private static final double MIN_SHARE = 1e-3;

    private final double[][] x;
    private final double[] y;
    private final int[] kinds;
    private final Bounds bounds;
    private final double[] base;

    /**
     * Constraints of the coefficients.
     *
     * @param low lower bounds
     */
    public record Bounds(double[] base, double[] low, double[] high) {}

    /**
     * Observations.
     *
     * @param x one row per observation
     * @param y values above 0
     * @param kinds kind of each observation, from 0
     * @param bounds constraints of the coefficients
     */
    public RelativeFit(double[][] x, double[] y, int[] kinds, Bounds bounds) {
        this.x = x;
        this.y = y;
        this.kinds = kinds;
        this.bounds = bounds;
        this.base = bounds.base();
    }

    /** Selects the columns to fit among the permitted ones, in the order of selection. */
    public List<Integer> choose(List<Integer> candidates) {
        List<Integer> chosen = new ArrayList<>();
        double best = criterion(chosen);
        while (chosen.size() < candidates.size()) {
            int next = -1;
            double lowest = best - MIN_IMPROVEMENT;
            for (int candidate : candidates) {
                if (!chosen.contains(candidate) && identifies(candidate, chosen)) {
                    List<Integer> more = new ArrayList<>(chosen);
                    more.add(candidate);
                    double value = criterion(more);
                    if (value < lowest - 1e-9) {
                        lowest = value;
                        next = candidate;
                    }
                }
            }
            if (next < 0) {
                return chosen;
            }
            chosen.add(next);
            best = lowest;
        }
        return chosen;
    }

    /**
     * True if the observations distinguish the coefficient of {@code column} from the coefficients of {@code others}:
     * the column, relative to y, is not nearly a linear combination of those columns.
     */
    public boolean identifies(int column, List<Integer> others) {
        List<double[]> directions = new ArrayList<>();
        for (int other : others) {
            double[] rest = relative(other);
            directions.forEach(each -> project(rest, each));
            if (dot(rest, rest) > 0) {
                directions.add(rest);
            }
        }
        double[] residualColumn = relative(column);
        double whole = dot(residualColumn, residualColumn);
        directions.forEach(each -> project(residualColumn, each));
        return dot(residualColumn, residualColumn) > IDENTIFIED * whole;
    }

    private static void project(double[] vector, double[] direction) {
        subtract(vector, direction, dot(direction, vector) / dot(direction, direction));
    }

    private double[] relative(int column) {
        double[] values = new double[y.length];
        for (int i = 0; i < y.length; i++) {
            values[i] = x[i][column] / y[i];
        }
        return values;
    }

    private double criterion(List<Integer> columns) {
        if (columns.size() >= y.length) {
            return Double.POSITIVE_INFINITY;
        }
        return criterion(solve(columns), columns.size());
    }

    private double criterion(double[] coefficients, int fitted) {
        return penalised(errors(coefficients), fitted);
    }

    /**
     * Returns a score of coefficients that is comparable between simulations; lower is better. The score uses error
     * factors, so half and twice the measured time are equally wrong. With relative errors, a predicted time of 0 would
     * have an error of only 1.
     *
     * @param fitted number of fitted coefficients
     */
    public double score(double[] coefficients, int fitted) {
        double[] factors = errors(coefficients);
        for (int i = 0; i < factors.length; i++) {
            double share = Math.max(MIN_SHARE, 1 - factors[i]);
            factors[i] = Math.max(share, 1 / share) - 1;
        }
        return penalised(factors, fitted);
    }

    private double penalised(double[] errors, int fitted) {
        double value = fitted * Math.log(y.length);
        for (int kind = 0; kind < kindCount(); kind++) {
            double[] sizes = sizes(errors, kind);
            double mean = Arrays.stream(sizes).average().orElse(0);
            value += 2 * sizes.length * Math.log(Math.max(FLOOR, mean));
        }
        return value;
    }

    private int kindCount() {
        return Arrays.stream(kinds).max().orElse(-1) + 1;
    }

    private double[] sizes(double[] errors, int kind) {
        return java.util.stream.IntStream.range(0, errors.length)
                .filter(i -> kinds[i] == kind)
                .mapToDouble(i -> Math.abs(errors[i]))
                .toArray();
    }

    private double[] errors(double[] coefficients) {
        double[] errors = new double[y.length];
        for (int i = 0; i < y.length; i++) {
            double sum = 0;
            for (int k = 0; k < base.length; k++) {
                sum += x[i][k] * coefficients[k];
            }
            errors[i] = (y[i] - sum) / y[i];
        }
        return errors;
    }

    /**
     * All coefficients, with the given columns fitted. A coefficient beyond its bounds is set to the bound; a linearly
     * dependent one is not fitted.
     */
    public double[] solve(List<Integer> columns) {
        double[] weights = new double[y.length];
        Arrays.fill(weights, 1);
        double[] coefficients = base.clone();
        for (int round = 0; round < ROUNDS; round++) {
            double[] before = coefficients;
            coefficients = weighted(columns, weights);
            weights = weights(errors(coefficients));
            if (Arrays.equals(before, coefficients)) {
                break;
            }
        }
        return coefficients;
    }

    private double[] weights(double[] errors) {
        double[] weights = new double[errors.length];
        for (int kind = 0; kind < kindCount(); kind++) {
            double[] sizes = sizes(errors, kind);
            double spread = sizes.length == 0 ? 1 : Math.max(FLOOR, NORMAL_MAD * Quantiles.of(sizes, 0.5));
            for (int i = 0; i < errors.length; i++) {
                if (kinds[i] == kind) {
                    double size = Math.max(1e-300, Math.abs(errors[i]));
                    double share = Math.min(1 / MIN_WEIGHED, Math.max(MIN_WEIGHED, 1 - errors[i]));
                    weights[i] = Math.min(1, HUBER * spread / size) / (spread * spread) / share;
                }
            }
        }
        return weights;
    }

    private double[] weighted(List<Integer> columns, double[] weights) {
        List<Integer> left = new ArrayList<>(columns);
        double[] start = base.clone();
        while (true) {
            double[] coefficients = unbounded(left, weights, start);
            int worst = -1;
            double largestExcess = 0;
            for (int column : left) {
                double value = coefficients[column];
                double beyond = Double.isNaN(value)
                        ? Double.POSITIVE_INFINITY
                        : Math.max(bounds.low()[column] - value, value - bounds.high()[column]);
                if (beyond > largestExcess) {
                    largestExcess = beyond;
                    worst = column;
                }
            }
            if (worst < 0) {
                return coefficients;
            }
            double value = coefficients[worst];
            start[worst] = Double.isNaN(value)
                    ? base[worst]
                    : Math.min(bounds.high()[worst], Math.max(bounds.low()[worst], value));
            left.remove(Integer.valueOf(worst));
        }
    }

    /**
     * Weighted least squares of relative errors by Gram-Schmidt orthogonalisation; NaN for a column that depends on the
     * previous ones.
     */
    private double[] unbounded(List<Integer> columns, double[] weights, double[] start) {
        int n = y.length;
        int p = columns.size();
        double[] rest = rest(columns, weights, start);
        double[][] residualColumn = new double[p][];
        double[][] shares = new double[p][p];
        double[] along = new double[p];
        double[] coefficients = start.clone();
        for (int c = 0; c < p; c++) {
            double[] column = new double[n];
            for (int i = 0; i < n; i++) {
                column[i] = Math.sqrt(weights[i]) * x[i][columns.get(c)] / y[i];
            }
            double whole = dot(column, column);
            for (int b = 0; b < c; b++) {
                shares[b][c] = dot(residualColumn[b], column) / dot(residualColumn[b], residualColumn[b]);
                subtract(column, residualColumn[b], shares[b][c]);
            }
            double size = dot(column, column);
            if (size <= DEPENDENT * whole) {
                coefficients[columns.get(c)] = Double.NaN;
                return coefficients;
            }
            residualColumn[c] = column;
            along[c] = dot(column, rest) / size;
            subtract(rest, column, along[c]);
        }
        for (int c = p - 1; c >= 0; c--) {
            double value = along[c];
            for (int later = c + 1; later < p; later++) {
                value -= shares[c][later] * coefficients[columns.get(later)];
            }
            coefficients[columns.get(c)] = value;
        }
        return coefficients;
    }

    /** Residual of the coefficients that are not fitted. */
    private double[] rest(List<Integer> columns, double[] weights, double[] start) {
        double[] rest = new double[y.length];
        for (int i = 0; i < rest.length; i++) {
            double fixed = 0;
            for (int k = 0; k < start.length; k++) {
                fixed += columns.contains(k) ? 0 : x[i][k] * start[k];
            }
            rest[i] = Math.sqrt(weights[i]) * (y[i] - fixed) / y[i];
        }
        return rest;
    }

    private static void subtract(double[] from, double[] what, double times) {
        for (int i = 0; i < from.length; i++) {
            from[i] -= times * what[i];
        }
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    /**
     * Intervals of the coefficients: the central 95 % of fits to resampled groups.
     *
     * @param groups group of each observation, from 0; groups are drawn as a whole
     */
    public Interval[] intervals(List<Integer> columns, int[] groups, int resamples, long seed) {
        int count = Arrays.stream(groups).max().orElse(-1) + 1;
        double[][] values = new double[base.length][resamples];
        for (int r = 0; r < resamples; r++) {
            double[] drawn = resample(groups, count, SplitMix.stream(seed, r)).solve(columns);
            for (int k = 0; k < base.length; k++) {
                values[k][r] = drawn[k];
            }
        }
        Interval[] intervals = new Interval[base.length];
        for (int k = 0; k < base.length; k++) {
            double[] sorted = Quantiles.sorted(values[k]);
            intervals[k] = new Interval(Quantiles.ofSorted(sorted, 0.025), Quantiles.ofSorted(sorted, 0.975));
        }
        return intervals;
    }

    private RelativeFit resample(int[] groups, int count, SplitMix random) {
        List<double[]> rows = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        List<Integer> of = new ArrayList<>();
        for (int draw = 0; draw < count; draw++) {
            int group = random.nextInt(count);
            for (int i = 0; i < y.length; i++) {
                if (groups[i] == group) {
                    rows.add(x[i]);
                    values.add(y[i]);
                    of.add(kinds[i]);
                }
            }
        }
        return new RelativeFit(
                rows.toArray(new double[0][]),
                values.stream().mapToDouble(Double::doubleValue).toArray(),
                of.stream().mapToInt(Integer::intValue).toArray(),
                bounds);
    }
}
