package dev.stagesim.config.tree;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * A leaf: null, boolean, integer of any size, double, or string.
 *
 * <p>Strings may contain dollar-brace interpolations. The string {@code ???} marks a mandatory value that is still
 * missing. Only the interpolation layer interprets both.
 *
 * @param kind type of the value
 * @param value null, {@link Boolean}, {@link BigInteger}, {@link Double} or {@link String}, according to {@code kind}
 * @param text the value as written (so {@code 007} and {@code 1.0} can be bound to a string unchanged)
 * @param origin the place where the value was written
 * @param previous the value that this leaf replaced, for error messages, or null
 */
public record ScalarNode(Kind kind, @Nullable Object value, String text, Origin origin, @Nullable Node previous)
        implements Node {
    /** The types of leaves. */
    public enum Kind {
        NULL,
        BOOL,
        INT,
        FLOAT,
        STRING
    }

    public static final String MISSING = "???";

    public static ScalarNode ofNull(Origin origin) {
        return new ScalarNode(Kind.NULL, null, "null", origin, null);
    }

    public static ScalarNode of(boolean value, Origin origin) {
        return new ScalarNode(Kind.BOOL, value, Boolean.toString(value), origin, null);
    }

    public static ScalarNode of(BigInteger value, String text, Origin origin) {
        return new ScalarNode(Kind.INT, value, text, origin, null);
    }

    public static ScalarNode of(long value, Origin origin) {
        return new ScalarNode(Kind.INT, BigInteger.valueOf(value), Long.toString(value), origin, null);
    }

    public static ScalarNode of(double value, String text, Origin origin) {
        return new ScalarNode(Kind.FLOAT, value, text, origin, null);
    }

    public static ScalarNode of(String value, Origin origin) {
        return new ScalarNode(Kind.STRING, value, value, origin, null);
    }

    public boolean isNull() {
        return kind == Kind.NULL;
    }

    /** True for the mandatory marker {@code ???}. */
    public boolean isMissing() {
        return kind == Kind.STRING && MISSING.equals(value);
    }

    /** True for a string with at least one interpolation. */
    public boolean isInterpolation() {
        return kind == Kind.STRING && text.contains("${");
    }

    /** Returns this leaf with a link to the node that it replaced. */
    public ScalarNode replacing(@Nullable Node replaced) {
        return new ScalarNode(kind, value, text, origin, replaced);
    }
}
