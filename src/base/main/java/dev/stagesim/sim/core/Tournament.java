package dev.stagesim.sim.core;

import java.util.Arrays;

/** The minimum of several values, with ties to the lowest number. A change costs one path to the root of a tree. */
public final class Tournament {
    private final double[] values;

    /** Winners of a complete binary tree: node n has children 2n and 2n + 1, the root is 1. */
    private final int[] winners;

    private final int leaves;

    /** Creates {@code size} equal values. */
    public Tournament(int size, double first) {
        leaves = size == 1 ? 1 : Integer.highestOneBit(size - 1) << 1;
        values = new double[leaves];
        Arrays.fill(values, 0, size, first);
        Arrays.fill(values, size, leaves, Double.POSITIVE_INFINITY);
        winners = new int[2 * leaves];
        for (int i = 0; i < leaves; i++) {
            winners[leaves + i] = i;
        }
        for (int node = leaves - 1; node > 0; node--) {
            play(node);
        }
    }

    /** Decides a node. The left child has the lower numbers, so it wins ties. */
    private void play(int node) {
        int left = winners[2 * node];
        int right = winners[2 * node + 1];
        winners[node] = values[right] < values[left] ? right : left;
    }

    public void set(int at, double value) {
        if (values[at] != value) {
            values[at] = value;
            for (int node = (leaves + at) >> 1; node > 0; node >>= 1) {
                play(node);
            }
        }
    }

    public void add(int at, double more) {
        set(at, values[at] + more);
    }

    /** Returns the number with the minimum value. */
    public int least() {
        return winners[1];
    }

    /** Returns the minimum value. */
    public double value() {
        return values[winners[1]];
    }
}
