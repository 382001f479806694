package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.math.BigInteger;
import java.util.regex.Pattern;

/** Types unquoted text as HOCON does: null, booleans, numbers, else a string. */
final class Scalars {
    /** What a number begins with; most texts are told from one by it. */
    private static final String STARTS = "-0123456789";

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]+(\\.[0-9]*)?([eE][+-]?[0-9]+)?");

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
        if (INTEGER.matcher(text).matches()) {
            return ScalarNode.of(new BigInteger(text), text, origin);
        }
        if (DECIMAL.matcher(text).matches()) {
            return ScalarNode.of(Double.parseDouble(text), text, origin);
        }
        return ScalarNode.of(text, origin);
    }
}
