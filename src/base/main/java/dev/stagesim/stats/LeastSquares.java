package dev.stagesim.stats;

/**
 * Ordinary least squares with confidence intervals and leave-one-out errors.
 *
 * <p>Solved by the normal equations with a Cholesky decomposition, for the few columns of a calibration. Columns should
 * have similar magnitudes.
 */
public final class LeastSquares {
    private final double[] coefficients;
    private final double[] errors;
    private final double heldOut;
    private final int freedom;

    private LeastSquares(double[] coefficients, double[] errors, double heldOut, int freedom) {
        this.coefficients = coefficients;
        this.errors = errors;
        this.heldOut = heldOut;
        this.freedom = freedom;
    }

    /**
     * Fits y by the columns of x.
     *
     * @param x one row per observation; include a column of ones for an intercept
     * @throws IllegalArgumentException if there are no more observations than columns, or columns are linearly
     *     dependent
     */
    public static LeastSquares fit(double[][] x, double[] y) {
        int n = x.length;
        int p = n == 0 ? 0 : x[0].length;
        if (n <= p || n != y.length) {
            throw new IllegalArgumentException(n + " observations for " + p + " coefficients");
        }
        double[][] inverse = inverse(normal(x));
        double[] coefficients = times(inverse, moments(x, y));
        double squares = 0;
        double held = 0;
        for (int i = 0; i < n; i++) {
            double residual = y[i] - dot(x[i], coefficients);
            double leverage = dot(x[i], times(inverse, x[i]));
            squares += residual * residual;
            // leave-one-out residual of observation i
            held += Math.abs(residual / Math.max(1e-12, 1 - leverage) / y[i]);
        }
        double variance = squares / (n - p);
        double[] errors = new double[p];
        for (int k = 0; k < p; k++) {
            errors[k] = Math.sqrt(variance * inverse[k][k]);
        }
        return new LeastSquares(coefficients, errors, held / n, n - p);
    }

    public double coefficient(int column) {
        return coefficients[column];
    }

    public double standardError(int column) {
        return errors[column];
    }

    /** Confidence interval of a coefficient at a level in (0, 1). */
    public Interval interval(int column, double level) {
        double reach = StudentT.quantile(0.5 + level / 2, freedom) * errors[column];
        return new Interval(coefficients[column] - reach, coefficients[column] + reach);
    }

    /** Mean relative leave-one-out error. */
    public double heldOutError() {
        return heldOut;
    }

    public double predict(double[] row) {
        return dot(row, coefficients);
    }

    private static double[][] normal(double[][] x) {
        int p = x[0].length;
        double[][] sums = new double[p][p];
        for (double[] row : x) {
            for (int i = 0; i < p; i++) {
                for (int j = 0; j < p; j++) {
                    sums[i][j] += row[i] * row[j];
                }
            }
        }
        return sums;
    }

    private static double[] moments(double[][] x, double[] y) {
        double[] sums = new double[x[0].length];
        for (int i = 0; i < x.length; i++) {
            for (int k = 0; k < sums.length; k++) {
                sums[k] += x[i][k] * y[i];
            }
        }
        return sums;
    }

    /** Inverse of a symmetric positive definite matrix. */
    private static double[][] inverse(double[][] matrix) {
        int p = matrix.length;
        double[][] lower = new double[p][p];
        for (int i = 0; i < p; i++) {
            for (int j = 0; j <= i; j++) {
                double sum = matrix[i][j];
                for (int k = 0; k < j; k++) {
                    sum -= lower[i][k] * lower[j][k];
                }
                if (i == j && sum <= 1e-12 * matrix[i][i]) {
                    throw new IllegalArgumentException("column " + i + " depends on those before it");
                }
                lower[i][j] = i == j ? Math.sqrt(sum) : sum / lower[j][j];
            }
        }
        double[][] inverse = new double[p][];
        for (int column = 0; column < p; column++) {
            double[] unit = new double[p];
            unit[column] = 1;
            inverse[column] = solve(lower, unit);
        }
        return inverse;
    }

    private static double[] solve(double[][] lower, double[] right) {
        int p = right.length;
        double[] x = right.clone();
        for (int i = 0; i < p; i++) {
            for (int k = 0; k < i; k++) {
                x[i] -= lower[i][k] * x[k];
            }
            x[i] /= lower[i][i];
        }
        for (int i = p - 1; i >= 0; i--) {
            for (int k = i + 1; k < p; k++) {
                x[i] -= lower[k][i] * x[k];
            }
            x[i] /= lower[i][i];
        }
        return x;
    }

    private static double[] times(double[][] matrix, double[] vector) {
        double[] product = new double[matrix.length];
        for (int i = 0; i < matrix.length; i++) {
            product[i] = dot(matrix[i], vector);
        }
        return product;
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }
}
