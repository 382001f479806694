package dev.stagesim.config.grammar;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Renders doubles as the shortest decimal text that reads back to the same double, always recognisably a float. */
public final class FloatText {
    private static final int LEAST_PLAIN_EXPONENT = -4;
    private static final int LEAST_SCIENTIFIC_EXPONENT = 16;

    private FloatText() {}

    /** Renders as {@code 1.0}, {@code 1e+16}, {@code 1e-05}, {@code inf}, {@code -inf} or {@code nan}. */
    public static String shortest(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0.0" : "0.0";
        }
        BigDecimal decimal = shortestDecimal(value).stripTrailingZeros();
        String digits = decimal.unscaledValue().abs().toString();
        int exponent = digits.length() - 1 - decimal.scale();
        String sign = value < 0 ? "-" : "";
        if (exponent < LEAST_PLAIN_EXPONENT || exponent >= LEAST_SCIENTIFIC_EXPONENT) {
            return sign + scientific(digits, exponent);
        }
        String plain = decimal.abs().toPlainString();
        return sign + (plain.contains(".") ? plain : plain + ".0");
    }

    private static String scientific(String digits, int exponent) {
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        String magnitude = Integer.toString(Math.abs(exponent));
        return mantissa + "e" + (exponent < 0 ? "-" : "+") + (magnitude.length() == 1 ? "0" : "") + magnitude;
    }

    /** Java 17's own text may be one digit too long, so shorter roundings of the exact value are tried first. */
    private static BigDecimal shortestDecimal(double value) {
        BigDecimal exact = new BigDecimal(value);
        BigDecimal known = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        for (int digits = 1; digits < known.precision(); digits++) {
            BigDecimal shorter = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
            if (shorter.doubleValue() == value) {
                return shorter;
            }
        }
        BigDecimal same = exact.round(new MathContext(known.precision(), RoundingMode.HALF_EVEN));
        return same.doubleValue() == value ? same : known;
    }
}
