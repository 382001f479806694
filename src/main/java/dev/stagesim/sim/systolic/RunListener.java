package dev.stagesim.sim.systolic;

/** Follows a run; traces are written from what it is told. */
interface RunListener {
    /** Told nothing. */
    RunListener NONE = new RunListener() {};

    /** A cycle of the current fold was served. */
    default void cycle(int cycle, long imageAt, long filterAt, long outputAt) {}

    /** Rows of the image's fetch order arrived. */
    default void imageFetched(long rows, long lastCycle) {}

    /** Rows of the filters' fetch order arrived. */
    default void filterFetched(long rows, long lastCycle) {}

    /** A line of the output was closed with fewer words than it could hold. */
    default void closedShort(long line, int words) {}

    /** Lines of the output were written. */
    default void drained(long firstLine, long lines, long firstCycle) {}
}
