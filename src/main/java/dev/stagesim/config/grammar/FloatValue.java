package dev.stagesim.config.grammar;

/**
 * A double, infinities and NaN included.
 *
 * @param value the value
 * @param text as written ({@code 1e3}, {@code -inf})
 */
public record FloatValue(double value, String text) implements Scalar {
    /** A value with its shortest text. */
    public static FloatValue of(double value) {
        return new FloatValue(value, FloatText.shortest(value));
    }
}
