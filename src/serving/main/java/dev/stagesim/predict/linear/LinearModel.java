package dev.stagesim.predict.linear;

import java.util.List;

/** A fitted polynomial. Immutable. */
public final class LinearModel {
    private final int[][] terms;
    private final double[] coefficients;
    private final double intercept;

    private LinearModel(int[][] terms, double[] coefficients, double intercept) {
        this.terms = terms;
        this.coefficients = coefficients;
        this.intercept = intercept;
    }

    /** Fits rows; {@code features} has one array per feature, each as long as {@code targets}. */
    public static LinearModel fit(double[][] features, double[] targets, LinearSpec spec) {
        List<int[]> terms = spec.terms(features.length);
        double[][] columns = new double[terms.size()][targets.length];
        for (int i = 0; i < targets.length; i++) {
            for (int t = 0; t < columns.length; t++) {
                columns[t][i] = product(terms.get(t), features, i);
            }
        }
        double[] y = targets.clone();
        double[] means = new double[columns.length];
        double mean = 0;
        if (spec.fitIntercept()) {
            mean = centre(y);
            for (int t = 0; t < columns.length; t++) {
                means[t] = centre(columns[t]);
            }
        }
        double[] coefficients = MinimumNormFit.solve(columns, y);
        double shift = 0;
        for (int t = 0; t < means.length; t++) {
            shift += means[t] * coefficients[t];
        }
        return new LinearModel(terms.toArray(new int[0][]), coefficients, mean - shift);
    }

    private static double product(int[] exponents, double[][] features, int row) {
        double product = 1;
        for (int f = 0; f < exponents.length; f++) {
            for (int e = 0; e < exponents[f]; e++) {
                product *= features[f][row];
            }
        }
        return product;
    }

    private static double centre(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        double mean = sum / values.length;
        for (int i = 0; i < values.length; i++) {
            values[i] -= mean;
        }
        return mean;
    }

    /** Value at a point; a model with one feature ignores the second. */
    public double at(double first, double second) {
        double sum = 0;
        for (int t = 0; t < terms.length; t++) {
            double product = coefficients[t];
            for (int e = 0; e < terms[t][0]; e++) {
                product *= first;
            }
            for (int e = 0; terms[t].length > 1 && e < terms[t][1]; e++) {
                product *= second;
            }
            sum += product;
        }
        return sum + intercept;
    }
}
