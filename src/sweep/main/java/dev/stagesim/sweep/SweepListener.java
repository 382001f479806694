package dev.stagesim.sweep;

/** Receives the progress of a sweep. Called from the working threads, one at a time. */
public interface SweepListener {
    void jobEnded(JobOutcome job, SweepProgress progress);
}
