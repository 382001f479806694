package dev.stagesim.sim.collective;

/** Kinds of timers of {@link NpuTimers}. Each documents its reference and value. */
final class Timer {
    /** A node is complete: node. */
    static final int NODE_DONE = 0;

    /** A packet has passed the endpoint delay: slot of the chunk; value is the reduction in ns, or -1. */
    static final int ENDPOINT = 1;

    /** A packet has been reduced: slot of the chunk. */
    static final int REDUCED = 2;

    /** A memory server is done: server. */
    static final int MEMORY_FREE = 3;

    /** A computation of a custom collective is complete: slot of the chunk; value is the node. */
    static final int CUSTOM_DONE = 4;

    /** The bus has sent: end. */
    static final int BUS_SENT = 5;

    /** The bus has received: end. */
    static final int BUS_RECEIVED = 6;

    /** The bus has reduced: end. */
    static final int BUS_PROCESSED = 7;

    private Timer() {}
}
