package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.math.BigInteger;

/** Determines the type of unquoted text by HOCON's rules: null, boolean, number, or string. */
final class Scalars {
    /** First characters of numbers, which exclude most other texts. */
    private static final String STARTS = "-0123456789";

    private Scalars() {}

    static ScalarNode typed(String text, Origin origin) {
        return switch (text) {
            case "null" -> ScalarNode.ofNull(origin);
            case "true", "false" -> ScalarNode.of(Boolean.parseBoolean(text), origin);
            default -> numberOrText(text, origin);
        };
    }

    private static ScalarNode numberOrText(String text, Origin origin) {
        if (text.isEmpty() || STARTS.indexOf(text.charAt(0)) < 0) {
            return ScalarNode.of(text, origin);
        }
        int whole = digits(text, text.charAt(0) == '-' ? 1 : 0);
        if (text.charAt(whole - 1) == '-') {
            return ScalarNode.of(text, origin);
        }
        if (whole == text.length()) {
            return ScalarNode.of(new BigInteger(text), text, origin);
        }
        return exponent(text, text.charAt(whole) == '.' ? digits(text, whole + 1) : whole) == text.length()
                ? ScalarNode.of(Double.parseDouble(text), text, origin)
                : ScalarNode.of(text, origin);
    }

    /** Returns the end of the exponent at {@code from}, or {@code from} if there is no exponent. */
    private static int exponent(String text, int from) {
        if (from == text.length() || "eE".indexOf(text.charAt(from)) < 0) {
            return from;
        }
        int start = from + 1 < text.length() && "+-".indexOf(text.charAt(from + 1)) >= 0 ? from + 2 : from + 1;
        int end = digits(text, start);
        return end == start ? from : end;
    }

    /** Returns the end of the digits at {@code from}. */
    private static int digits(String text, int from) {
        int end = from;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end;
    }
}
