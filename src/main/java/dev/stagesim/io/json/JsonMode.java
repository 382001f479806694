package dev.stagesim.io.json;

/** How strictly JSON text is read. */
public enum JsonMode {
    /** RFC 8259, and no member twice. */
    STRICT,
    /** Also {@code NaN}, {@code Infinity} and {@code -Infinity}, which Python writes. */
    NON_FINITE
}
