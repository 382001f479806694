package dev.stagesim.sim.systolic;

/** Receives trace lines as they are produced. */
@FunctionalInterface
public interface TraceSink {
    /** One line without its line end; the lines of a file arrive in order. */
    void line(TraceFile file, CharSequence line);
}
