package dev.stagesim.sweep;

/** Hears how a sweep goes; called from the threads that work on it, one at a time. */
public interface SweepListener {
    /** Hears nothing. */
    SweepListener NONE = (job, progress) -> {};

    void jobEnded(JobOutcome job, SweepProgress progress);
}
