package dev.stagesim.sweep.search;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Formats numbers for messages. */
final class NumberText {
    private static final MathContext DIGITS = new MathContext(4);

    private NumberText() {}

    static String number(double value) {
        if (!Double.isFinite(value)) {
            return Double.toString(value);
        }
        BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0).toPlainString() : rounded.toPlainString();
    }

    /** Returns a share in percent with its sign. */
    static String percent(double share) {
        return Double.isInfinite(share)
                ? (share > 0 ? "+∞ %" : "-∞ %")
                : String.format(Locale.ROOT, "%+.1f %%", 100 * share);
    }
}
