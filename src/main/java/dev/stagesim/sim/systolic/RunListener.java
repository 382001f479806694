package dev.stagesim.sim.systolic;

import java.util.function.LongUnaryOperator;

/** Follows a run; traces are written from what it is told. */
interface RunListener {
    /** Told nothing. */
    RunListener NONE = new RunListener() {};

    /** A cycle of the current fold was served. */
    default void cycle(int cycle, long imageAt, long filterAt, long outputAt) {}

    /** Rows of the image's fetch order arrived, each at the cycle that {@code done} tells during this call. */
    default void imageFetched(long rows, LongUnaryOperator done) {}

    /** Rows of the filters' fetch order arrived. */
    default void filterFetched(long rows, LongUnaryOperator done) {}

    /** A line of the output was closed with fewer words than it could hold. */
    default void closedShort(long line, int words) {}

    /** Lines of the output were written, each at the cycle that {@code done} tells during this call. */
    default void drained(long firstLine, long lines, LongUnaryOperator done) {}
}
