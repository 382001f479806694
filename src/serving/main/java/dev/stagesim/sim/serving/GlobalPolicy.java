package dev.stagesim.sim.serving;

/** How the cluster picks a replica for a request. */
public enum GlobalPolicy {
    /** Replicas in turn. */
    ROUND_ROBIN,
    /** The replica with the fewest outstanding requests. */
    LOR,
    /** A replica drawn at random from a seeded generator. */
    RANDOM
}
