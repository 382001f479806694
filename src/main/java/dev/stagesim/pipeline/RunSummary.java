package dev.stagesim.pipeline;

import java.nio.file.Path;
import java.util.Optional;

/**
 * One directory below {@code tmp/}.
 *
 * @param stage folder it is in
 * @param runId its id
 * @param dir where it is, or would be once finished
 * @param state how far it is
 * @param meta what it says of itself; present for finished runs
 * @param problem why it is broken; empty unless it is
 */
public record RunSummary(String stage, String runId, Path dir, State state, Optional<RunMeta> meta, String problem) {
    /** How far a run is. */
    public enum State {
        FINISHED, // It can be used.
        RUNNING, // A process works on it now.
        ABANDONED, // The process that worked on it is gone; the next run of the stage cleans it up.
        /** It has no valid {@code run_meta.json}. */
        BROKEN,
        SWEEP // It is a sweep, not a run.
    }
}
