package dev.stagesim.report;

import java.util.Arrays;

/**
 * The unit and number of decimals for a group of times, so that the numbers of a table align.
 *
 * @param unit {@code µs}, {@code ms} or {@code s}
 * @param nanos nanoseconds per unit
 * @param decimals decimals of every number
 */
public record TimeScale(String unit, double nanos, int decimals) {
    private static final int DIGITS = 4;

    /** Returns the scale with four significant digits of {@code typicalNanos} and a readable magnitude. */
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

    /** Returns the value in this unit. */
    public double of(double valueNanos) {
        return valueNanos / nanos;
    }

    /** Returns the values in this unit. */
    public double[] of(double[] valuesNanos) {
        return Arrays.stream(valuesNanos).map(this::of).toArray();
    }

    /** Returns the number without its unit. */
    public String text(double valueNanos) {
        return Numbers.fixed(of(valueNanos), decimals);
    }

    /** Returns the number with a sign and without its unit. */
    public String signed(double valueNanos) {
        return Numbers.signed(of(valueNanos), decimals);
    }

    /** Returns the number with its unit. */
    public String withUnit(double valueNanos) {
        return text(valueNanos) + Numbers.SPACE + unit;
    }
}
