package dev.stagesim.feature.pytorch.trace;

import java.util.Arrays;

/**
 * JSON text of an operator as positions in the text of the whole trace.
 *
 * <p>{@code spans} contains {@code from, to} pairs: first the six texts of inputs and outputs, then all other members,
 * which are copied without parsing.
 *
 * @param json text of the whole trace in UTF-8; shared, must not be modified
 * @param spans positions of the parts; must not be modified
 */
public record OpText(byte[] json, int[] spans) {
    /** Texts of an operator's inputs and outputs. */
    public enum Part {
        INPUT_VALUES,
        INPUT_SHAPES,
        INPUT_TYPES,
        OUTPUT_VALUES,
        OUTPUT_SHAPES,
        OUTPUT_TYPES
    }

    private static final int PARTS = Part.values().length;

    /** First byte of a part. */
    public int from(Part part) {
        return spans[2 * part.ordinal()];
    }

    /** Byte after a part; equal to {@link #from} if the operator does not have the part. */
    public int to(Part part) {
        return spans[2 * part.ordinal() + 1];
    }

    public boolean has(Part part) {
        return to(part) > from(part);
    }

    /** Number of spans that are copied without parsing. */
    public int restCount() {
        return spans.length / 2 - PARTS;
    }

    /** First byte of a span: the quote of a member's name. */
    public int restFrom(int segment) {
        return spans[2 * (PARTS + segment)];
    }

    /** Byte after a span. */
    public int restTo(int segment) {
        return spans[2 * (PARTS + segment) + 1];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpText that && json == that.json && Arrays.equals(spans, that.spans);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(spans);
    }
}
