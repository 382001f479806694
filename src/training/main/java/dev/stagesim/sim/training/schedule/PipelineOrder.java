package dev.stagesim.sim.training.schedule;

import java.util.Arrays;

/**
 * What every rank of a pipeline does, in order.
 *
 * @param schedule name as in the configuration
 * @param stages stages that a micro-batch passes
 * @param microBatches micro-batches of one direction
 * @param directions 1, or 2 when micro-batches enter at both ends
 * @param ops operations of each rank; see {@link Op}
 */
public record PipelineOrder(String schedule, int stages, int microBatches, int directions, int[][] ops) {
    public int ranks() {
        return ops.length;
    }

    /**
     * Most chunks that each rank holds: from the start of their forward to the end of their backward, of the weight gradient where
     * that is apart.
     */
    public int[] peakChunks() {
        int[] peaks = new int[ops.length];
        for (int rank = 0; rank < ops.length; rank++) {
            int held = 0;
            for (int op : ops[rank]) {
                if (Op.kind(op) == Op.F) {
                    peaks[rank] = Math.max(peaks[rank], ++held);
                } else if (Op.kind(op) != Op.B) {
                    held--;
                }
            }
        }
        return peaks;
    }

    /** Operations of one rank as they are collected. */
    static final class Builder {
        private int[] ops = new int[16];
        private int size;

        void add(int op) {
            if (size == ops.length) {
                ops = Arrays.copyOf(ops, 2 * size);
            }
            ops[size++] = op;
        }

        /** Both operations, overlapped. */
        void pair(int first, int second) {
            add(Op.joined(first));
            add(second);
        }

        int[] toArray() {
            return Arrays.copyOf(ops, size);
        }
    }
}
