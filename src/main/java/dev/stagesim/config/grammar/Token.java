package dev.stagesim.config.grammar;

import java.math.BigInteger;
import java.util.Locale;

/**
 * One token of a value.
 *
 * @param kind what it is
 * @param text the characters, blanks that belong to the token included
 * @param start offset of its first character in the override
 */
record Token(Kind kind, String text, int start) {
    /** Kinds of tokens; the four before the end are known only within interpolations. */
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
        QUOTE,
        OPEN,
        DOT,
        KEY,
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

    /** The value of the token alone: a number, a truth value, null, or a string. */
    Value.Scalar value() {
        return switch (kind) {
            case INT -> new Value.Int(new BigInteger(text.replace("_", "")), text);
            case FLOAT -> new Value.Real(real(text), text);
            case BOOL -> new Value.Bool(Boolean.parseBoolean(text), text);
            case NULL -> new Value.Null(text);
            default -> new Value.Text(unescaped());
        };
    }

    /** The double that a FLOAT token stands for; out of range gives an infinity or zero. */
    private static double real(String text) {
        String plain = text.replace("_", "").toLowerCase(Locale.ROOT);
        return switch (plain) {
            case "inf", "+inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            case "nan", "+nan", "-nan" -> Double.NaN;
            default -> Double.parseDouble(plain);
        };
    }
}
