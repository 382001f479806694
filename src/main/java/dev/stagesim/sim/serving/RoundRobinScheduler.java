package dev.stagesim.sim.serving;

/** Replicas in turn; the turn carries over from event to event. */
final class RoundRobinScheduler extends GlobalScheduler {
    private final int replicas;
    private int next;

    RoundRobinScheduler(int replicas) {
        this.replicas = replicas;
    }

    @Override
    int place() {
        int chosen = next;
        next = next + 1 == replicas ? 0 : next + 1;
        return chosen;
    }
}
