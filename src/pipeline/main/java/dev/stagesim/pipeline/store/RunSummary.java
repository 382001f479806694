package dev.stagesim.pipeline.store;

import java.nio.file.Path;
import java.util.Optional;

/**
 * One directory below {@code tmp/}.
 *
 * @param stage name of its parent folder
 * @param runId its id
 * @param dir its path, or its future path if unfinished
 * @param state the state of the run
 * @param meta its metadata; present for finished runs
 * @param problem the reason why it is broken; empty unless it is
 */
public record RunSummary(String stage, String runId, Path dir, State state, Optional<RunMeta> meta, String problem) {
    /** The states of a run. */
    public enum State {
        FINISHED, // The run is usable.
        RUNNING, // A process works on the run now.
        ABANDONED, // The process that worked on the run has died. The next run of the stage deletes it.
        /** The run has no valid {@code run_meta.json}. */
        BROKEN,
        SWEEP // It is a sweep, not a run.
    }
}
