package dev.stagesim.predict;

import java.util.Arrays;

/**
 * Measured times of an operator by one key, in the order of measurement; keys may repeat.
 *
 * <p>Sizes may be fractions: an all-reduce of an odd number of bytes is a fraction of a token.
 */
public final class Curve {
    private final double[] sizes;
    private final double[] milliseconds;

    /** Copies both arrays, which must have equal lengths and not be empty. */
    public Curve(double[] sizes, double[] milliseconds) {
        if (sizes.length != milliseconds.length || sizes.length == 0) {
            throw new IllegalArgumentException(sizes.length + " sizes, " + milliseconds.length + " times");
        }
        this.sizes = sizes.clone();
        this.milliseconds = milliseconds.clone();
    }

    /** A curve of zeros with {@code rows} rows, like the operators measured with it. */
    public static Curve zero(int rows) {
        double[] sizes = new double[rows];
        Arrays.fill(sizes, 1);
        return new Curve(sizes, new double[rows]);
    }

    public int rows() {
        return sizes.length;
    }

    public double size(int row) {
        return sizes[row];
    }

    public double milliseconds(int row) {
        return milliseconds[row];
    }

    /** True if all times are 0: the operator does not exist in the model. */
    public boolean isZero() {
        for (double ms : milliseconds) {
            if (ms != 0) {
                return false;
            }
        }
        return true;
    }
}
