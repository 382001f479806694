package dev.stagesim.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Planning of a stage before it runs, for each run and each job of a sweep.
 *
 * @param <S> settings record
 */
public interface StagePlanning<S extends Record> {
    /** Returns the specification of the stage. */
    StageSpec<S> spec();

    /** Returns the inputs for these settings, in a fixed order. */
    List<Upstream> upstreams(S settings);

    /**
     * Returns the inputs if they also depend on files of the settings; {@link #check} reports problems of the files.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    default List<Upstream> upstreams(S settings, Path home) throws IOException {
        return upstreams(settings);
    }

    /**
     * Returns the files that the result depends on, besides upstream runs. Their digests are part of the run id and of the
     * run's inputs. A directory means all its files.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    default List<Path> reads(S settings, Path home) throws IOException {
        return List.of();
    }

    /**
     * Rejects settings that cannot work. The check is fast: it is called for all stages of a chain before the first one runs,
     * and for each job of a sweep. The pipeline checks that the files of {@link #reads} exist.
     *
     * @param home product installation, as {@link StageContext#home()}
     * @throws dev.stagesim.model.StageException (input) with all problems
     */
    default void check(S settings, Path home) throws IOException {}

    /**
     * Returns root sections that these settings ignore. They are not part of the run's settings, and overriding one is an
     * error.
     */
    default List<String> ignoredSections(S settings) {
        return List.of();
    }

    /** Returns sections that determine the inputs although they are not passed to an input. */
    default List<String> deciding(S settings) {
        return List.of();
    }

    /** Returns true if the result depends on the machine; the run id then includes the machine. */
    default boolean measures(S settings) {
        return spec().measuring();
    }

    /** Returns true if the run is a random sample; {@code repeat=k} then creates sample k, from 0. */
    default boolean repeatable(S settings) {
        return measures(settings);
    }

    /**
     * Returns true if runs are never reused, because each records an event; several may run at the same time. For measuring
     * stages.
     */
    default boolean isNeverReused() {
        return false;
    }
}
