package dev.stagesim.config.grammar;

import java.math.BigInteger;
import java.util.Locale;

/**
 * One token of a value.
 *
 * @param kind the token's kind
 * @param text the characters, including the blanks that belong to the token
 * @param start offset of the first character in the override
 */
record Token(Kind kind, String text, int start) {
    /** Kinds of tokens. The four kinds before the end occur only within interpolations. */
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

    /** Returns the text of this token with escapes resolved. */
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

    /** Returns the value of the token alone: a number, a boolean, null, or a string. */
    Value.Scalar value() {
        return switch (kind) {
            case INT -> new Value.Int(new BigInteger(text.replace("_", "")), text);
            case FLOAT -> new Value.Real(real(text), text);
            case BOOL -> new Value.Bool(Boolean.parseBoolean(text), text);
            case NULL -> new Value.Null(text);
            default -> new Value.Text(unescaped());
        };
    }

    /** Returns the double of a FLOAT token. A number out of range gives an infinity or zero. */
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
