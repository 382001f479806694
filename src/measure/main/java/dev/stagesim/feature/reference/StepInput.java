package dev.stagesim.feature.reference;

import java.util.Arrays;

/** The input of a step: for each of its sequences, consecutive tokens at the positions after the cached ones. */
final class StepInput {
    int rows;
    int segments;
    int[] tokens = new int[16];
    int[] positions = new int[16];
    int[] sequence = new int[16];
    int[] from = new int[16];
    int[] count = new int[16];
    boolean[] decode = new boolean[16];

    void clear() {
        rows = 0;
        segments = 0;
    }

    /**
     * Adds the next tokens of a sequence.
     *
     * @param source tokens of the sequence
     * @param cached number of cached tokens; the next token has this position
     * @param isDecode true if the prompt has been processed
     */
    void add(int id, int[] source, int cached, int next, boolean isDecode) {
        ensureCapacity(next);
        sequence[segments] = id;
        from[segments] = rows;
        count[segments] = next;
        decode[segments++] = isDecode;
        for (int i = 0; i < next; i++) {
            tokens[rows] = source[cached + i];
            positions[rows++] = cached + i;
        }
    }

    private void ensureCapacity(int next) {
        if (segments == sequence.length) {
            sequence = Arrays.copyOf(sequence, 2 * segments);
            from = Arrays.copyOf(from, 2 * segments);
            count = Arrays.copyOf(count, 2 * segments);
            decode = Arrays.copyOf(decode, 2 * segments);
        }
        if (rows + next > tokens.length) {
            int length = Math.max(rows + next, 2 * rows);
            tokens = Arrays.copyOf(tokens, length);
            positions = Arrays.copyOf(positions, length);
        }
    }
}
