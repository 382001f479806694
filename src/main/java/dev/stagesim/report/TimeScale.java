package dev.stagesim.report;

import java.util.Arrays;

/**
 * The unit and decimals in which a group of times is shown, so that a table's figures line up.
 *
 * @param unit {@code µs}, {@code ms} or {@code s}
 * @param nanos nanoseconds per unit
 * @param decimals decimals of every figure
 */
public record TimeScale(String unit, double nanos, int decimals) {
    private static final int DIGITS = 4;

    /** Returns the scale on which {@code typicalNanos} has four digits and is neither tiny nor huge. */
    public static TimeScale fit(double typicalNanos) {
        double size = Math.abs(typicalNanos);
        if (size >= 10e9) {
            return scale("s", 1e9, size);
        }
        return size >= 0.5e6 || size == 0 ? scale("ms", 1e6, size) : scale("µs", 1e3, size);
    }

    private static TimeScale scale(String unit, double nanos, double size) {
        return new TimeScale(unit, nanos, Math.min(DIGITS - 1, Numbers.decimals(size / nanos, DIGITS)));
    }

    /** Returns the number in this unit. */
    public double of(double valueNanos) {
        return valueNanos / nanos;
    }

    /** Returns the numbers in this unit. */
    public double[] of(double[] valuesNanos) {
        return Arrays.stream(valuesNanos).map(this::of).toArray();
    }

    /** Returns the figure without its unit. */
    public String text(double valueNanos) {
        return Numbers.fixed(of(valueNanos), decimals);
    }

    /** Returns the figure with a sign, without its unit. */
    public String signed(double valueNanos) {
        return Numbers.signed(of(valueNanos), decimals);
    }

    /** Returns the figure with its unit. */
    public String withUnit(double valueNanos) {
        return text(valueNanos) + Numbers.SPACE + unit;
    }
}
