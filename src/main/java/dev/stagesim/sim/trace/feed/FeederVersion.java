package dev.stagesim.sim.trace.feed;

/** Which of the reference's feeders to follow. */
public enum FeederVersion {
    /** Data dependencies only, through a window. */
    V1,
    /** Data and control dependencies of the whole trace. */
    V3;

    /**
     * A feeder over a trace.
     *
     * @param source what messages call the trace
     */
    public Feeder over(String source, NodeSource trace) {
        return this == V1 ? new WindowFeeder(trace, WindowFeeder.REFERENCE_WINDOW) : new IndexFeeder(source, trace);
    }
}
