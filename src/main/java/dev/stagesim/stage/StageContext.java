package dev.stagesim.stage;

import dev.stagesim.model.Problem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** What the pipeline gives a running stage. */
public interface StageContext {
    /** Directory to write artifacts into; on any file system, moved into place when the stage is done. */
    Path out();

    /** The finished run that fills a role; the role must be one of the stage's upstreams. */
    RunInput input(String role);

    /** Product installation: holds {@code configs/} with presets, cards and recordings. */
    Path home();

    /**
     * Directory for what is costly to make and shared by runs; empty when nothing is to be kept. Whoever keeps something
     * there makes sure that finding it changes no result.
     */
    default Optional<Path> cache() {
        return Optional.empty();
    }

    /**
     * Keeps a changed copy of this run's configuration, from which {@code --config-snapshot} makes the changed run.
     *
     * @param name directory below {@link #out()} to keep it in
     * @param changes new values by dotted key: text, a number, a boolean, null for none by {@link Optional#empty()}, a map
     *     or a list of those, or {@link SameAs} for what another key has
     */
    default void keepConfig(String name, Map<String, Object> changes) throws IOException {}

    /** Stands for the value of another key. */
    record SameAs(String key) {}

    /** Reports progress, which only a terminal displays. */
    void progress(String what, long done, long total);

    /** Shows a message that matters now and is not stored, such as the address of a server. */
    default void notice(String message) {}

    /**
     * Says how to end work that goes on until a person ends it (Ctrl-C, SIGTERM): the run is then finished, not given up. Called
     * from another thread, at most once.
     */
    default void endsWith(Runnable end) {}

    /**
     * Says what the work that is about to begin is expected to take; to be called before it begins.
     *
     * @throws dev.stagesim.model.StageException (input) when that is more than it may
     */
    default void expect(Estimate estimate) {}

    /** Says that what the run has got so far is kept in a file, from which the same question goes on when it is interrupted. */
    default void resumesFrom(Path file) {}

    /** Tells a person something to know; also kept in {@code run_meta.json} under {@code warnings}. */
    void warn(String message);

    /**
     * Records a headline figure: shown after the run, kept in {@code run_meta.json}, gathered by sweeps.
     *
     * @param name snake case with unit suffix, for example {@code ttft_p50_ms}
     */
    void headline(String name, double value);

    /**
     * Records that a check the user asked for did not hold. The run is still finished and kept; the process then exits
     * with 3, also when the same run is reused later.
     */
    void checkFailed(Problem problem);
}
