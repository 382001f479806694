package dev.stagesim.sim.serving;

/**
 * The least loaded of several replicas, ties to the lowest number: a tournament over their loads, so that a change costs a
 * path to the root and nobody looks at all replicas.
 */
final class LeastLoaded {
    private final int[] loads;

    /** Winners of a complete binary tree: node {@code n} has children {@code 2n} and {@code 2n + 1}, the root is 1. */
    private final int[] winners;

    private final int leaves;

    LeastLoaded(int replicas) {
        leaves = replicas == 1 ? 1 : Integer.highestOneBit(replicas - 1) << 1;
        loads = new int[leaves];
        java.util.Arrays.fill(loads, replicas, leaves, Integer.MAX_VALUE);
        winners = new int[2 * leaves];
        for (int i = 0; i < leaves; i++) {
            winners[leaves + i] = i;
        }
        for (int node = leaves - 1; node > 0; node--) {
            play(node);
        }
    }

    /** The left child holds the lower numbers, so it wins ties. */
    private void play(int node) {
        int left = winners[2 * node];
        int right = winners[2 * node + 1];
        winners[node] = loads[right] < loads[left] ? right : left;
    }

    void set(int replica, int load) {
        if (loads[replica] == load) {
            return;
        }
        loads[replica] = load;
        for (int node = (leaves + replica) >> 1; node > 0; node >>= 1) {
            play(node);
        }
    }

    /** Takes the least loaded replica and loads it with one more. */
    int place() {
        int least = winners[1];
        set(least, loads[least] + 1);
        return least;
    }
}
