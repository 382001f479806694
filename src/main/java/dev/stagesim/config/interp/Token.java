package dev.stagesim.config.interp;

/**
 * A token of an expression.
 *
 * @param start index of its first character
 * @param text its characters
 */
record Token(Kind kind, int start, String text) {
    /** Kinds of tokens; which are known depends on the scanner's mode. */
    enum Kind {
        OPEN,
        CLOSE,
        DOT,
        COLON,
        COMMA,
        BRACKET_OPEN,
        BRACKET_CLOSE,
        BRACE_OPEN,
        BRACE_CLOSE,
        QUOTE,
        ID,
        KEY,
        FLOAT,
        INT,
        BOOL,
        NULL,
        OTHER,
        ESCAPE,
        BLANK,
        END
    }

    int end() {
        return start + text.length();
    }
}
