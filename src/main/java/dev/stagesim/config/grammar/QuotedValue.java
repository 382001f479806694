package dev.stagesim.config.grammar;

/**
 * A string written in quotes; like any string it may hold dollar-brace interpolations.
 *
 * @param text the string between the quotes, escapes resolved
 * @param quote the quote character, {@code '} or {@code "}
 */
public record QuotedValue(String text, char quote) implements Scalar {}
