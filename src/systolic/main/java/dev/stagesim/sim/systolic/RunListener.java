package dev.stagesim.sim.systolic;

import java.util.function.LongUnaryOperator;

/** Receives the events of a layer run; the traces are written from them. */
interface RunListener {
    /** Ignores all events. */
    RunListener NONE = new RunListener() {};

    /** A cycle of the current fold was served. */
    default void cycle(int cycle, long imageAt, long filterAt, long outputAt) {}

    /**
     * Rows of the image's fetch order arrived. {@code done} returns the cycle of each row; it is valid only during this
     * call.
     */
    default void imageFetched(long rows, LongUnaryOperator done) {}

    /** Rows of the filters' fetch order arrived. */
    default void filterFetched(long rows, LongUnaryOperator done) {}

    /** A line of the output was closed before it was full. */
    default void closedShort(long line, int words) {}

    /**
     * Lines of the output were written. {@code done} returns the cycle of each line; it is valid only during this call.
     */
    default void drained(long firstLine, long lines, LongUnaryOperator done) {}
}
