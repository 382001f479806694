package dev.stagesim.config.tree;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * A leaf: null, boolean, integer of any size, double, or string.
 *
 * <p>Strings may hold dollar-brace interpolations, and the string {@code ???} marks a mandatory value that is still
 * missing; both are meaningful only to the interpolation layer.
 *
 * @param kind type of the value
 * @param value null, {@link Boolean}, {@link BigInteger}, {@link Double} or {@link String}, as {@code kind} says
 * @param text the value as written (so {@code 007} and {@code 1.0} survive binding to a string)
 * @param origin where it was written
 * @param previous the value this one replaced, for error messages; null when it replaced none
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

    /** True for a string that holds at least one interpolation. */
    public boolean isInterpolation() {
        return kind == Kind.STRING && text.contains("${");
    }

    /** Returns this leaf, remembering what it replaced. */
    public ScalarNode replacing(@Nullable Node replaced) {
        return new ScalarNode(kind, value, text, origin, replaced);
    }
}
