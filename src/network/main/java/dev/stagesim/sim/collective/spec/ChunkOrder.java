package dev.stagesim.sim.collective.spec;

/** Priority of the waiting chunks of a dimension. */
public enum ChunkOrder {
    /** By the collective's priority, then first come, first served, as in the reference. */
    FIFO,
    /** Smallest chunk first. */
    SMALLEST_FIRST,
    /** Chunk with the smallest number of remaining phases first. */
    FEWEST_PHASES_FIRST,
    /** Alternates reduce-scatters and all-gathers if both wait. */
    ALTERNATING
}
