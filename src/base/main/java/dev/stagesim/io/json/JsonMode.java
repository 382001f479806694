package dev.stagesim.io.json;

/** Strictness of JSON parsing. */
public enum JsonMode {
    /** RFC 8259 without repeated members. */
    STRICT,
    /** Also accepts {@code NaN}, {@code Infinity} and {@code -Infinity}, which Python writes. */
    NON_FINITE
}
