package dev.stagesim.config.grammar;

/**
 * A truth value.
 *
 * @param value the value
 * @param text as written ({@code True} in any case)
 */
public record BoolValue(boolean value, String text) implements Scalar {
    public static BoolValue of(boolean value) {
        return new BoolValue(value, Boolean.toString(value));
    }
}
