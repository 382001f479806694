package dev.stagesim.config.bind;

import dev.stagesim.model.KeyText;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/**
 * The valid range of a number, or of a duration in nanoseconds.
 *
 * @param above true if {@code min} itself is invalid
 */
record ValueRange(@Nullable BigDecimal min, boolean above, @Nullable BigDecimal max, String text) {
    static final ValueRange NONE = new ValueRange(null, false, null, "");

    static ValueRange of(KeyText key, boolean durations) {
        if (key.min().isEmpty() && key.max().isEmpty()) {
            return NONE;
        }
        return new ValueRange(bound(key.min(), durations), key.above(), bound(key.max(), durations), describe(key));
    }

    private static @Nullable BigDecimal bound(String text, boolean durations) {
        if (text.isEmpty()) {
            return null;
        }
        return durations
                ? new BigDecimal(Units.parseDuration(text).orElseThrow().toNanos())
                : new BigDecimal(text);
    }

    private static String describe(KeyText key) {
        if (key.max().isEmpty()) {
            return (key.above() ? "> " : ">= ") + key.min();
        }
        if (key.min().isEmpty()) {
            return "<= " + key.max();
        }
        return key.above() ? "> " + key.min() + " and <= " + key.max() : "from " + key.min() + " to " + key.max();
    }

    /** Returns the minimum valid integer, or {@code defaultMin} if there is no lower limit. */
    BigInteger minInteger(BigInteger defaultMin) {
        if (min == null) {
            return defaultMin;
        }
        BigInteger floor = min.setScale(0, RoundingMode.FLOOR).toBigInteger();
        return allows(new BigDecimal(floor)) ? floor : floor.add(BigInteger.ONE);
    }

    /** Decimal numbers and limits are rounded in the same way, so a value equal to a limit stays valid. */
    boolean allows(double value) {
        if (min != null && (above ? value <= min.doubleValue() : value < min.doubleValue())) {
            return false;
        }
        return max == null || value <= max.doubleValue();
    }

    boolean allows(BigDecimal value) {
        if (min != null && value.compareTo(min) < (above ? 1 : 0)) {
            return false;
        }
        return max == null || value.compareTo(max) <= 0;
    }
}
