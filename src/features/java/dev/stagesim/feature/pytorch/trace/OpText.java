package dev.stagesim.feature.pytorch.trace;

import java.util.Arrays;

/**
 * Parts of an operator's JSON text, as positions in the text of the whole trace.
 *
 * <p>Holds {@code from, to} pairs: the six texts of inputs and outputs, then whatever else the operator has, which is
 * handed through unread.
 *
 * @param json text of the whole trace in UTF-8; shared, not to be changed
 * @param spans positions of the parts; not to be changed
 */
public record OpText(byte[] json, int[] spans) {
    /** The texts of an operator's inputs and outputs. */
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

    /** Byte after a part; the same as {@link #from} when the operator does not have it. */
    public int to(Part part) {
        return spans[2 * part.ordinal() + 1];
    }

    public boolean has(Part part) {
        return to(part) > from(part);
    }

    /** Number of stretches of members that are handed through. */
    public int restCount() {
        return spans.length / 2 - PARTS;
    }

    /** First byte of a stretch: the quote of a member's name. */
    public int restFrom(int stretch) {
        return spans[2 * (PARTS + stretch)];
    }

    /** Byte after a stretch. */
    public int restTo(int stretch) {
        return spans[2 * (PARTS + stretch) + 1];
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
