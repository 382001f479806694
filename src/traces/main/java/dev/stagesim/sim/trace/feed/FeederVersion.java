package dev.stagesim.sim.trace.feed;

/** Version of the reference's feeder to reproduce. */
public enum FeederVersion {
    /** Data dependencies only, with a read-ahead window. */
    V1,
    /** Data and control dependencies of the whole trace. */
    V3;

    /**
     * Creates a feeder for a trace.
     *
     * @param source name of the trace in messages
     */
    public Feeder over(String source, NodeSource trace) {
        return this == V1 ? new WindowFeeder(trace, WindowFeeder.REFERENCE_WINDOW) : new IndexFeeder(source, trace);
    }
}
