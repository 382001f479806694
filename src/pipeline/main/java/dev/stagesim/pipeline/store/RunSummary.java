package dev.stagesim.pipeline.store;

import java.nio.file.Path;
import java.util.Optional;

/**
 * One directory below {@code tmp/}.
 *
 * @param stage stage of the run, the name of the parent folder
 * @param runId id of the run, the name of the directory
 * @param dir path of the directory; an unfinished run is moved there at the end
 * @param state the state of the run
 * @param meta metadata, present for finished runs
 * @param problem the reason why a run is broken, otherwise empty
 */
public record RunSummary(String stage, String runId, Path dir, State state, Optional<RunMeta> meta, String problem) {
    /** The states of a run. */
    public enum State {
        FINISHED, // The run is usable.
        RUNNING, // A process works on the run now.
        ABANDONED, // The process that worked on the run has died. The next run of the stage deletes it.
        /** The run has no valid {@code run_meta.json}. */
        BROKEN,
        SWEEP // The directory belongs to a sweep.
    }
}
