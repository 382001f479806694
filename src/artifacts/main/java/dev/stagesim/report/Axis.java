package dev.stagesim.report;

import java.util.List;

/**
 * A range of values with a label.
 *
 * @param label name of the values, with the unit in parentheses
 * @param low minimum displayed value
 * @param high maximum displayed value, above {@code low}
 * @param log true for a logarithmic axis, which requires {@code low} above 0
 */
public record Axis(String label, double low, double high, boolean log) {
    /** Ratio of maximum to minimum above which an axis is logarithmic. */
    private static final double MIN_LOG_RATIO = 50;

    private static final int MAX_TICKS = 6;

    public Axis {
        if (!(high > low) || (log && low <= 0)) {
            throw new IllegalArgumentException(label + ": [" + low + ", " + high + "]");
        }
    }

    /**
     * Returns an axis from 0 to a round number at or above every value. If some values are negative, it starts at a
     * negative number.
     */
    public static Axis fromZero(String label, double... values) {
        double low = 0;
        double high = 0;
        for (double value : values) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
        if (low == high) {
            high = 1;
        }
        double step = Ticks.step(high - low, MAX_TICKS);
        return new Axis(label, step * Math.floor(low / step), step * Math.ceil(high / step - 1e-9), false);
    }

    /** Returns an axis from 0 to {@code end}, or to 1 if {@code end} is 0. The end may be any number. */
    public static Axis upTo(String label, double end) {
        return new Axis(label, 0, end > 0 ? end : 1, false);
    }

    /** Returns an axis of whole numbers from 0, with at least five steps. */
    public static Axis counts(String label, double... values) {
        double high = 5;
        for (double value : values) {
            high = Math.max(high, value);
        }
        return fromZero(label, high);
    }

    /** Returns a linear axis from 0, or a logarithmic axis if positive values span more than a factor of fifty. */
    public static Axis fit(String label, double... values) {
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
        if (low > 0 && high / low > MIN_LOG_RATIO) {
            return new Axis(label, round(low, false), round(high, true), true);
        }
        return fromZero(label, values);
    }

    /** Returns the nearest 1, 2 or 5 times a power of ten at or beyond {@code value}. */
    private static double round(double value, boolean up) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        double best = up ? 10 * power : power;
        for (double factor : new double[] {2, 5}) {
            double at = factor * power;
            if (up ? at >= value && at < best : at <= value && at > best) {
                best = at;
            }
        }
        return best;
    }

    /** Returns the position of a value, 0 at {@code low} and 1 at {@code high}. Values outside are clamped. */
    double at(double value) {
        double share = log ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low);
        return Math.max(0, Math.min(1, share));
    }

    List<Ticks.Tick> ticks() {
        return log ? Ticks.logarithmic(low, high, MAX_TICKS) : Ticks.linear(low, high, MAX_TICKS);
    }
}
