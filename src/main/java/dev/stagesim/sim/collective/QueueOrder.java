package dev.stagesim.sim.collective;

/** Which of the chunks that wait in a dimension goes first. */
public enum QueueOrder {
    /** By the collective's priority, then the one that came first, as in the reference. */
    FIFO,
    /** The one with the fewest bytes. */
    SMALLEST_FIRST,
    /** The one with the fewest phases before it. */
    FEWEST_PHASES_FIRST,
    /** Reduce-scatters and all-gathers in turn, where both wait. */
    ALTERNATING
}
