package dev.stagesim.config.grammar;

/**
 * A string written without quotes, escapes resolved; it may hold dollar-brace interpolations.
 *
 * @param text the string
 */
public record TextValue(String text) implements Scalar {
    public static final TextValue EMPTY = new TextValue("");
}
