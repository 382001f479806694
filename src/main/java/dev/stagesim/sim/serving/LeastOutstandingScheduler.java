package dev.stagesim.sim.serving;

/**
 * The replica with the fewest outstanding requests, ties to the lowest number.
 *
 * <p>The reference counts the waiting queue only, so a replica full of running requests looks idle; without its
 * quirks every request that is not complete counts.
 */
final class LeastOutstandingScheduler extends GlobalScheduler {
    private final ReplicaScheduler[] replicas;
    private final int[] pending;
    private final boolean waitingOnly;

    LeastOutstandingScheduler(ReplicaScheduler[] replicas, boolean waitingOnly) {
        this.replicas = replicas;
        this.pending = new int[replicas.length];
        this.waitingOnly = waitingOnly;
    }

    @Override
    void begin() {
        for (int i = 0; i < pending.length; i++) {
            pending[i] = waitingOnly ? replicas[i].waitingCount() : replicas[i].outstanding();
        }
    }

    @Override
    int place() {
        int least = 0;
        for (int i = 1; i < pending.length; i++) {
            if (pending[i] < pending[least]) {
                least = i;
            }
        }
        pending[least]++;
        return least;
    }
}
