package dev.stagesim.config.grammar;

/** A value without parts. */
public sealed interface Scalar extends Value
        permits NullValue, BoolValue, IntValue, FloatValue, TextValue, QuotedValue {
    /** The value as written, quotes and escapes resolved: what a string key would receive. */
    String text();
}
