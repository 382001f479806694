package dev.stagesim.sim.serving.spec;

/** The rule that selects a replica for a request. */
public enum GlobalPolicy {
    /** Replicas in turn. */
    ROUND_ROBIN,
    /** The replica with the minimum number of outstanding requests. */
    LOR,
    /** A replica drawn at random from a seeded generator. */
    RANDOM
}
