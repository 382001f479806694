package dev.stagesim.config.grammar;

import java.util.List;

/** Parses values outside overrides: arguments of resolvers, and texts that are read as values. */
public final class ElementParser {
    private ElementParser() {}

    /**
     * Parses the comma-separated arguments of a resolver, the text between the first colon and the closing brace.
     *
     * <p>Elements are those of the override grammar except that there are no functions, nested {@code ${..}} are
     * balanced, blanks around elements are dropped, an empty element is the empty string, and an empty or blank text
     * has no arguments.
     */
    public static List<Value> parseArguments(String text) {
        throw new UnsupportedOperationException(text);
    }

    /** Parses a text as one value: scalar, quoted string, list or map; no sweeps and no functions. */
    public static Value parseValue(String text) {
        throw new UnsupportedOperationException(text);
    }
}
