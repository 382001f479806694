package dev.stagesim.sweep.launch;

import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.tokens.TokenCounts;
import dev.stagesim.sweep.tokens.TokenPart;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The jobs of one launch, as seen by a launcher. Thread-safe.
 *
 * <p>Each job for which {@link #begin} returned true must be reported once, with {@link #done} or {@link #failed}.
 */
public interface Launch {
    /** Returns the pipeline, which makes runs in this process and imports runs of other processes. */
    Pipeline pipeline();

    /** Returns the stage of the jobs. */
    Stage<?> stage();

    /** Returns the jobs, sorted by predicted duration, the longest first. */
    List<PlannedJob> jobs();

    /**
     * True if no further job may start: a job failed and the launch stops on failure, or the process received a signal.
     */
    boolean stopped();

    /** Marks a job as running. Returns false if the launch was stopped and the job must not run. */
    boolean begin(PlannedJob job);

    /** Reports the run of a job, which must be in this pipeline's working directory. */
    void done(PlannedJob job, RunRef run) throws IOException;

    /** Reports the reason why a job has no run. */
    void failed(PlannedJob job, Throwable why) throws IOException;

    /** Returns the run of a job from an earlier launch, or empty if there is none or it must be repeated. */
    Optional<RunRef> known(PlannedJob job) throws IOException;

    /**
     * Returns the token tables of all runs, in parts. Called when all jobs have ended. Empty if the launch was stopped,
     * or is a part of a sweep.
     */
    List<TokenPart> tokens() throws IOException;

    /** Reports the token times of a part. */
    void counted(TokenPart part, TokenCounts counts);
}
