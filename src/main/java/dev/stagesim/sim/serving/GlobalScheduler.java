package dev.stagesim.sim.serving;

/** Picks a replica for each request; one implementation for each {@link GlobalPolicy}. */
abstract sealed class GlobalScheduler permits RoundRobinScheduler, LeastOutstandingScheduler, RandomScheduler {
    static GlobalScheduler of(ServingSpec spec, ReplicaScheduler[] replicas) {
        return switch (spec.cluster().policy()) {
            case ROUND_ROBIN -> new RoundRobinScheduler(replicas.length);
            case LOR -> new LeastOutstandingScheduler(replicas, spec.quirks());
            case RANDOM -> new RandomScheduler(replicas.length, spec.cluster().seed());
        };
    }

    /** Called before the requests of one global scheduling event are placed. */
    void begin() {}

    /** Replica for the next request. */
    abstract int place();
}
