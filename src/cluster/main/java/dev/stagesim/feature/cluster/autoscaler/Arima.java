package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.stats.LeastSquares;
import java.util.ArrayDeque;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Forecasts a series with an ARIMA model. The orders are selected for each forecast.
 *
 * <p>The series is differenced, at most twice, until it passes the KPSS test of level stationarity at 5 %. Up to two
 * autoregressive and two moving-average terms are fitted with the two-step method of Hannan and Rissanen. The corrected
 * Akaike criterion (AICc) selects the orders. If it selects none, the fit is repeated for the logarithms.
 */
final class Arima implements Forecast {
    private static final int MIN_VALUES = 5;
    private static final int MAX_ORDER = 2;

    /** Maximum number of values in memory. */
    static final int WINDOW = 128;

    /** Critical value of the KPSS statistic at 5 %. */
    private static final double CRITICAL = 0.463;

    private final ArrayDeque<Double> seen = new ArrayDeque<>();

    /** Cached forecast, or NaN if a value was added since. */
    private double next = Double.NaN;

    /** Forecast of a fitted model, its AICc, and whether it has no terms. */
    private record Fit(double next, double criterion, boolean isMean) {}

    @Override
    public void add(double value) {
        seen.addLast(value);
        if (seen.size() > WINDOW) {
            seen.removeFirst();
        }
        next = Double.NaN;
    }

    @Override
    public double next() {
        next = Double.isNaN(next) ? forecast() : next;
        return next;
    }

    private double forecast() {
        double last = seen.isEmpty() ? 0 : seen.getLast();
        if (seen.size() < MIN_VALUES || seen.stream().distinct().count() == 1) {
            return last;
        }
        Fit plain = fit(values(value -> value));
        Fit best = plain.isMean() ? fit(values(Math::log1p)) : plain;
        return Math.max(0, plain.isMean() ? Math.expm1(best.next()) : best.next());
    }

    private double[] values(DoubleUnaryOperator transform) {
        return seen.stream()
                .mapToDouble(value -> transform.applyAsDouble(value))
                .toArray();
    }

    private static Fit fit(double[] values) {
        double[] y = values;
        double lastValues = 0;
        int differences = 0;
        while (differences < MAX_ORDER && y.length > 2 && !isLevel(y)) {
            lastValues += y[y.length - 1];
            y = differences(y);
            differences++;
        }
        double[] errors = errors(y);
        @Nullable Fit best = null;
        for (int p = 0; p <= MAX_ORDER; p++) {
            for (int q = 0; q <= MAX_ORDER; q++) {
                Fit next = fit(y, errors, p, q, differences < MAX_ORDER);
                best = best == null || (next != null && next.criterion() < best.criterion()) ? next : best;
            }
        }
        if (best == null) {
            throw new IllegalStateException("no model fits the series");
        }
        return new Fit(lastValues + best.next(), best.criterion(), best.isMean());
    }

    private static double[] differences(double[] y) {
        double[] differences = new double[y.length - 1];
        for (int i = 0; i < differences.length; i++) {
            differences[i] = y[i + 1] - y[i];
        }
        return differences;
    }

    /**
     * Returns true if the KPSS statistic is below its critical value: partial sums of the residuals, relative to the
     * long-run variance.
     */
    static boolean isLevel(double[] y) {
        int n = y.length;
        double mean = 0;
        for (double value : y) {
            mean += value / n;
        }
        double sum = 0;
        double squares = 0;
        for (double value : y) {
            sum += value - mean;
            squares += sum * sum;
        }
        int lags = (int) (3 * Math.sqrt(n) / 13);
        double variance = 0;
        for (int lag = 0; lag <= lags; lag++) {
            double weight = lag == 0 ? 1 : 2 * (1 - lag / (lags + 1.0));
            for (int i = lag; i < n; i++) {
                variance += weight * (y[i] - mean) * (y[i - lag] - mean) / n;
            }
        }
        return variance <= 0 || squares / ((double) n * n * variance) <= CRITICAL;
    }

    /** Returns the residuals of an autoregression of up to three lags; 0 for the first values. */
    private static double[] errors(double[] y) {
        int lags = Math.min(3, (y.length - 2) / 3);
        double[] errors = new double[y.length];
        LeastSquares fit = lags < 1 ? null : solve(y, errors, lags, 0, lags, true);
        for (int i = lags; fit != null && i < y.length; i++) {
            errors[i] = y[i] - fit.predict(row(y, errors, i, lags, 0, true));
        }
        return errors;
    }

    /**
     * Fits a model over the same rows as all other models, so that their criteria are comparable. Returns null if the
     * rows do not suffice.
     */
    private static @Nullable Fit fit(double[] y, double[] errors, int p, int q, boolean hasMean) {
        int columns = p + q + (hasMean ? 1 : 0);
        int from = Math.min(MAX_ORDER, y.length - 1);
        int rows = y.length - from;
        LeastSquares fit = columns == 0 ? null : solve(y, errors, p, q, from, hasMean);
        int free = rows - columns - 2;
        boolean isLast = p == 0 && q == 0;
        if ((columns > 0 && fit == null && !isLast) || (free < 1 && !isLast)) {
            return null;
        }
        double squares = 0;
        for (int i = from; i < y.length; i++) {
            double off = y[i] - predicted(fit, y, errors, i, p, q, hasMean);
            squares += off * off;
        }
        int all = columns + 1;
        double criterion = rows * Math.log(Math.max(1e-12, squares / rows))
                + 2.0 * all
                + 2.0 * all * (all + 1) / Math.max(1, free);
        return new Fit(predicted(fit, y, errors, y.length, p, q, hasMean), criterion, isLast);
    }

    private static double predicted(
            @Nullable LeastSquares fit, double[] y, double[] errors, int at, int p, int q, boolean hasMean) {
        return fit == null ? 0 : fit.predict(row(y, errors, at, p, q, hasMean));
    }

    private static @Nullable LeastSquares solve(double[] y, double[] errors, int p, int q, int from, boolean hasMean) {
        double[][] x = new double[y.length - from][];
        double[] right = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            x[i] = row(y, errors, from + i, p, q, hasMean);
            right[i] = y[from + i];
        }
        try {
            return LeastSquares.fit(x, right);
        } catch (IllegalArgumentException dependent) {
            return null; // fewer rows than coefficients, or dependent columns
        }
    }

    private static double[] row(double[] y, double[] errors, int at, int p, int q, boolean hasMean) {
        double[] row = new double[p + q + (hasMean ? 1 : 0)];
        for (int i = 0; i < p; i++) {
            row[i] = y[at - 1 - i];
        }
        for (int i = 0; i < q; i++) {
            row[p + i] = errors[at - 1 - i];
        }
        if (hasMean) {
            row[p + q] = 1;
        }
        return row;
    }
}
