package dev.stagesim.config.compose.typed;

import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.config.tree.ScalarNode.Kind;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts leaves with OmegaConf's rules: leniently between numbers, booleans and their texts. */
final class LeafConversion {
    private static final Set<String> YES = Set.of("yes", "y", "on", "true");
    private static final Set<String> NO = Set.of("no", "n", "off", "false");
    private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]+(_[0-9]+)*");
    private static final Pattern NUMBER = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");

    private LeafConversion() {}

    /** Returns the leaf converted to {@code type}, or null if it cannot be converted. */
    static @Nullable ScalarNode convert(Type type, ScalarNode leaf) {
        if (type instanceof Type.EnumOf names) {
            return enumName(names.names(), leaf);
        }
        if (type instanceof Type.UnionOf union) {
            return union.types().stream().anyMatch(option -> matches(option, leaf)) ? leaf : null;
        }
        return switch ((Type.Leaf) type) {
            case STR -> leaf.kind() == Kind.STRING ? leaf : text(leaf, string(leaf));
            case PATH -> leaf.kind() == Kind.STRING ? leaf : null;
            case INT -> integer(leaf);
            case FLOAT -> real(leaf);
            case BOOL -> bool(leaf);
            case ANY -> leaf;
        };
    }

    private static String string(ScalarNode leaf) {
        if (leaf.kind() == Kind.BOOL) {
            return Boolean.TRUE.equals(leaf.value()) ? "True" : "False";
        }
        return leaf.kind() == Kind.INT ? String.valueOf(leaf.value()) : leaf.text();
    }

    private static ScalarNode text(ScalarNode leaf, String text) {
        return new ScalarNode(Kind.STRING, text, text, leaf.origin(), leaf.previous());
    }

    private static boolean matches(Type type, ScalarNode leaf) {
        Kind wanted = type == Type.Leaf.INT
                ? Kind.INT
                : type == Type.Leaf.FLOAT ? Kind.FLOAT : type == Type.Leaf.BOOL ? Kind.BOOL : Kind.STRING;
        return leaf.kind() == wanted;
    }

    private static @Nullable ScalarNode enumName(List<String> names, ScalarNode leaf) {
        if (leaf.kind() == Kind.INT) {
            int number = ((BigInteger) Objects.requireNonNull(leaf.value())).intValue();
            return number >= 1 && number <= names.size() ? text(leaf, names.get(number - 1)) : null;
        }
        return leaf.kind() == Kind.STRING && names.contains(leaf.text()) ? leaf : null;
    }

    private static @Nullable ScalarNode integer(ScalarNode leaf) {
        if (leaf.kind() == Kind.INT) {
            return leaf;
        }
        String text = leaf.text().strip();
        if (leaf.kind() != Kind.STRING || !INTEGER.matcher(text).matches()) {
            return null;
        }
        BigInteger value = new BigInteger(text.replace("_", "").replaceFirst("^\\+", ""));
        return new ScalarNode(Kind.INT, value, value.toString(), leaf.origin(), leaf.previous());
    }

    private static @Nullable ScalarNode real(ScalarNode leaf) {
        if (leaf.kind() == Kind.FLOAT) {
            return leaf;
        }
        String text = leaf.text().strip().replace("_", "");
        if (leaf.kind() == Kind.BOOL || !NUMBER.matcher(text).matches()) {
            return null;
        }
        double value = Double.parseDouble(text);
        return new ScalarNode(Kind.FLOAT, value, Double.toString(value), leaf.origin(), leaf.previous());
    }

    private static @Nullable ScalarNode bool(ScalarNode leaf) {
        if (leaf.kind() == Kind.BOOL) {
            return leaf;
        }
        String text = leaf.text().strip().toLowerCase(Locale.ROOT);
        if (leaf.kind() == Kind.INT
                || (leaf.kind() == Kind.STRING && INTEGER.matcher(text).matches())) {
            boolean value = new BigInteger(text.replace("_", "").replaceFirst("^\\+", "")).signum() != 0;
            return new ScalarNode(Kind.BOOL, value, String.valueOf(value), leaf.origin(), leaf.previous());
        }
        if (leaf.kind() != Kind.STRING || (!YES.contains(text) && !NO.contains(text))) {
            return null;
        }
        boolean value = YES.contains(text);
        return new ScalarNode(Kind.BOOL, value, String.valueOf(value), leaf.origin(), leaf.previous());
    }
}
