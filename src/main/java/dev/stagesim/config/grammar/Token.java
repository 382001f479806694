package dev.stagesim.config.grammar;

/**
 * One token of a value.
 *
 * @param kind what it is
 * @param text the characters, blanks that belong to the token included
 * @param start offset of its first character in the override
 */
record Token(Kind kind, String text, int start) {
    enum Kind {
        PAREN_OPEN,
        PAREN_CLOSE,
        COMMA,
        BRACKET_OPEN,
        BRACKET_CLOSE,
        BRACE_OPEN,
        BRACE_CLOSE,
        COLON,
        EQUAL,
        FLOAT,
        INT,
        BOOL,
        NULL,
        PUNCTUATION,
        ID,
        ESCAPES,
        BLANK,
        QUOTED,
        INTERPOLATION,
        END
    }

    boolean is(Kind other) {
        return kind == other;
    }

    int end() {
        return start + text.length();
    }

    /** The text a string gets from this token: escapes lose their backslashes. */
    String unescaped() {
        if (kind != Kind.ESCAPES) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() / 2);
        for (int i = 1; i < text.length(); i += 2) {
            out.append(text.charAt(i));
        }
        return out.toString();
    }
}
