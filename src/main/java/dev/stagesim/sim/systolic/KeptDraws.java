package dev.stagesim.sim.systolic;

import dev.stagesim.sim.core.Mt19937;

/**
 * How many weights each filter keeps of a block, drawn filter by filter.
 *
 * <p>The last draws are kept, enough for a walk over an array's columns; to go further back, the draws begin anew.
 */
final class KeptDraws {
    private static final int LEAST_KEPT = 1 << 14;
    private static final int MOST_COLUMNS = 1 << 20;

    private final long seed;
    private final int most;
    private final int[] ring;
    private Mt19937 random;
    private int next;

    /**
     * Draws between 1 and {@code most}.
     *
     * @param columns columns of the array
     */
    KeptDraws(long seed, int most, int columns) {
        this.seed = seed;
        this.most = most;
        random = Mt19937.numpySeed(seed);
        ring = new int[Math.max(LEAST_KEPT, Math.min(MOST_COLUMNS, Integer.highestOneBit(columns)) * 8)];
    }

    int of(int filter) {
        if (filter < next - ring.length) {
            random = Mt19937.numpySeed(seed);
            next = 0;
        }
        while (next <= filter) {
            ring[next++ & (ring.length - 1)] = 1 + random.masked(most - 1);
        }
        return ring[filter & (ring.length - 1)];
    }
}
