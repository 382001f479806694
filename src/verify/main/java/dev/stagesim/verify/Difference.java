package dev.stagesim.verify;

import java.util.Locale;
import java.util.Optional;

/**
 * One place at which a case was not reproduced.
 *
 * @param where compared file and place, or field
 * @param expected the recorded value as text
 * @param actual the product's value as text
 */
public record Difference(String where, String expected, String actual) {
    private static final int MAX_LENGTH = 400;

    /** Distance of two numbers; the relative one refers to the expected value. */
    record Delta(double absolute, double relative) {}

    /** Returns the relative difference if both values are finite numbers. */
    Optional<Delta> delta() {
        try {
            double wanted = Double.parseDouble(expected);
            double difference = Double.parseDouble(actual) - wanted;
            return Double.isFinite(difference)
                    ? Optional.of(new Delta(difference, wanted == 0 ? difference : difference / wanted))
                    : Optional.empty();
        } catch (NumberFormatException notNumbers) {
            return Optional.empty();
        }
    }

    /** Place, both values and, for numbers, the absolute and relative difference. */
    String describe() {
        String distance = delta().map(
                        d -> String.format(Locale.ROOT, " (absolute %.3g, relative %.3g)", d.absolute(), d.relative()))
                .orElse("");
        String place = where.isEmpty() ? "" : where + ": ";
        return place + "expected " + clip(expected) + ", got " + clip(actual) + distance;
    }

    private static String clip(String text) {
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
    }
}
