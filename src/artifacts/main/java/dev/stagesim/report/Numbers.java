package dev.stagesim.report;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Formats numbers for reports: fixed decimals, commas between thousands, a typographic minus sign, a sign on
 * differences.
 */
public final class Numbers {
    /** Text of an absent value. */
    public static final String NONE = "–";

    /** Space that keeps a number and its unit on one line. */
    public static final String SPACE = "\u00a0";

    private static final String MINUS = "−";

    private Numbers() {}

    /** Returns {@code value} with exactly {@code decimals} decimals, half up, commas between thousands. */
    public static String fixed(double value, int decimals) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return NONE;
        }
        BigDecimal rounded = BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP);
        String digits = rounded.abs().toPlainString();
        int point = digits.indexOf('.');
        int whole = point < 0 ? digits.length() : point;
        StringBuilder out = new StringBuilder(digits);
        for (int at = whole - 3; at > 0; at -= 3) {
            out.insert(at, ',');
        }
        return rounded.signum() < 0 ? MINUS + out : out.toString();
    }

    /** Returns {@code value} with a sign, also if positive; zero has none. */
    public static String signed(double value, int decimals) {
        String text = fixed(value, decimals);
        boolean plain = text.startsWith(MINUS) || text.equals(NONE);
        boolean zero = text.chars().noneMatch(c -> c >= '1' && c <= '9');
        return plain || zero ? text : "+" + text;
    }

    /** Returns a signed percentage, {@code −86.6 %}. */
    public static String percent(double value) {
        String text = signed(value, 1);
        return text.equals(NONE) ? text : text + SPACE + "%";
    }

    /** Returns a percentage without a sign. */
    public static String share(double value, int decimals) {
        return fixed(value, decimals) + SPACE + "%";
    }

    /** Returns the shortest text of {@code value} without exponent, for numbers that a user typed. */
    public static String plain(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    /** Returns a whole number with commas between thousands. */
    public static String count(long value) {
        return fixed(value, 0);
    }

    /** Returns {@code value} with about {@code digits} significant digits and no exponent. */
    public static String significant(double value, int digits) {
        return fixed(value, decimals(value, digits));
    }

    /** Returns a range such as {@code 0.000 to 0.106}: both ends have the decimals of the larger one. */
    public static String range(double low, double high, int digits) {
        int decimals = decimals(Math.max(Math.abs(low), Math.abs(high)), digits);
        return fixed(low, decimals) + " to " + fixed(high, decimals);
    }

    /** Returns the number of decimals for {@code digits} significant digits; at least 0. */
    static int decimals(double value, int digits) {
        if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
            return 0;
        }
        int magnitude = (int) Math.floor(Math.log10(Math.abs(value)));
        return Math.max(0, digits - 1 - magnitude);
    }

    /** Returns a factor such as {@code 7.5×}. */
    public static String times(double factor) {
        return significant(factor, 2) + "×";
    }
}
