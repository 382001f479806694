package dev.stagesim.sim.systolic;

/** Takes the lines of traces as they arise. */
@FunctionalInterface
public interface TraceSink {
    /** One line, without its end; lines of one file come in order. */
    void line(TraceFile file, CharSequence line);
}
