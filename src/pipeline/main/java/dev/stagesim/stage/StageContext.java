package dev.stagesim.stage;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.model.Problem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Context of a running stage. */
public interface StageContext {
    /** Returns the directory for artifacts, on any file system; the pipeline moves it into place at the end. */
    Path out();

    /** Returns the finished run of a role, which must be one of the stage's upstreams. */
    RunInput input(String role);

    /** Returns the product installation, with presets, cards and recordings in {@code configs/}. */
    Path home();

    /**
     * Returns the directory of the cache that runs share; empty if caching is disabled. Cached data must not change results.
     */
    default Optional<Path> cache() {
        return Optional.empty();
    }

    /**
     * Saves a changed copy of this run's configuration for {@code --config-snapshot}.
     *
     * @param name directory of the copy, below {@link #out()}
     * @param changes new values by dotted key: text, a number, a boolean, {@link Optional#empty()} for null, a map or list of
     *     values, or {@link SameAs} for the value of another key
     */
    default void saveConfig(String name, Map<String, Object> changes) throws IOException {}

    /** A reference to the value of another key. */
    record SameAs(String key) {}

    /** Returns the option that the run chose for a configuration group; empty if unknown. */
    default Optional<String> choice(String group) {
        return Optional.empty();
    }

    /**
     * Returns true if an override sets a key or a key of its section. Artifacts must not depend on it, because a run with the
     * same values as the defaults is reused.
     */
    default boolean isSet(String key) {
        return false;
    }

    /** Returns the conditions of a result, with the values that the user changed in the cards of the run. */
    default RunConditions conditions(RunConditions ofCards) {
        return ofCards;
    }

    /** Reports progress, which is displayed on terminals only. */
    void progress(String what, long done, long total);

    /** Shows a transient message, such as the address of a server. */
    default void notice(String message) {}

    /**
     * Registers a callback for Ctrl-C or SIGTERM that ends the work, so that the run is completed instead of aborted. It is
     * called from another thread, at most once.
     */
    default void endsWith(Runnable end) {}

    /**
     * Reports the estimated cost of the work; must be called before it starts.
     *
     * @throws dev.stagesim.model.StageException (input) if the estimate exceeds a limit
     */
    default void expect(Estimate estimate) {}

    /** Reports a file with partial results, from which an interrupted run can continue. */
    default void resumesFrom(Path file) {}

    /** Reports a warning, which {@code run_meta.json} records in {@code warnings}. */
    void warn(String message);

    /**
     * Records a headline metric: displayed after the run, stored in {@code run_meta.json} and collected by sweeps.
     *
     * @param name snake case with unit suffix, for example {@code ttft_p50_ms}
     */
    void headline(String name, double value);

    /** Records a failed check. The run is completed and kept; the process exits with 3, also when the run is reused later. */
    void checkFailed(Problem problem);
}
