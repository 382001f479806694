package dev.stagesim.sim.training.schedule;

import java.util.Arrays;

/**
 * Order of operations on each rank of a pipeline.
 *
 * @param schedule name in the configuration
 * @param stages stages of one direction
 * @param microBatches micro-batches per direction
 * @param directions 2 if micro-batches enter at both ends, otherwise 1
 * @param ops operations of each rank; see {@link Op}
 */
public record PipelineOrder(String schedule, int stages, int microBatches, int directions, int[][] ops) {
    public int ranks() {
        return ops.length;
    }

    /**
     * Returns the maximum number of chunks in memory on each rank. A chunk is in memory from the start of its forward pass to the end of its
     * backward pass, including a separate weight gradient.
     */
    public int[] peakChunks() {
        int[] peaks = new int[ops.length];
        for (int rank = 0; rank < ops.length; rank++) {
            int inMemory = 0;
            for (int op : ops[rank]) {
                if (Op.kind(op) == Op.F) {
                    peaks[rank] = Math.max(peaks[rank], ++inMemory);
                } else if (Op.kind(op) != Op.B) {
                    inMemory--;
                }
            }
        }
        return peaks;
    }

    /** Collects the operations of one rank. */
    static final class Builder {
        private int[] ops = new int[16];
        private int size;

        void add(int op) {
            if (size == ops.length) {
                ops = Arrays.copyOf(ops, 2 * size);
            }
            ops[size++] = op;
        }

        /** Adds two overlapped operations. */
        void pair(int first, int second) {
            add(Op.joined(first));
            add(second);
        }

        int[] toArray() {
            return Arrays.copyOf(ops, size);
        }
    }
}
