package dev.stagesim.config.grammar;

import java.util.List;

/** Parses overrides; every mistake is a {@code StageException} that shows the column and what was expected. */
public final class OverrideParser {
    private OverrideParser() {}

    /**
     * Parses one override.
     *
     * @param text one word of the command line
     * @param position 1-based place among the overrides, for messages
     */
    public static ConfigOverride parse(String text, int position, Dialect dialect) {
        throw new UnsupportedOperationException(text + position + dialect);
    }

    /** Parses all overrides, numbering them from 1, and reports every wrong one. */
    public static List<ConfigOverride> parseAll(List<String> texts, Dialect dialect) {
        throw new UnsupportedOperationException(texts.toString() + dialect);
    }
}
