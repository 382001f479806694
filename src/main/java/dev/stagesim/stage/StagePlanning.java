package dev.stagesim.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What planning asks of a stage before anything runs: for every run, and for every job of a sweep.
 *
 * @param <S> settings record
 */
public interface StagePlanning<S extends Record> {
    /** What the stage is. */
    StageSpec<S> spec();

    /** The inputs that these settings call for, in a fixed order. */
    List<Upstream> upstreams(S settings);

    /**
     * The inputs, where they also depend on files that the settings name; what is wrong with those is told by {@link
     * #check}.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    default List<Upstream> upstreams(S settings, Path home) throws IOException {
        return upstreams(settings);
    }

    /**
     * The files besides upstream runs that the result depends on, given by settings or shipped with the product: their
     * digests are part of the run id and are listed among the run's inputs. A directory stands for all files in it.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    default List<Path> reads(S settings, Path home) throws IOException {
        return List.of();
    }

    /**
     * Refuses settings that cannot work, as far as that can be known cheaply: called for all stages of a chain before the
     * first of them runs, and for every job of a sweep. Whether the files of {@link #reads} exist is checked anyway.
     *
     * @param home product installation, as {@link StageContext#home()}
     * @throws dev.stagesim.model.StageException (input) with all problems
     */
    default void check(S settings, Path home) throws IOException {}

    /**
     * Root sections that these settings leave unread: they are no part of the run's settings, and overriding one is an
     * error.
     */
    default List<String> unread(S settings) {
        return List.of();
    }

    /** Returns the sections that decide which inputs there are, although these settings hand them to none. */
    default List<String> deciding(S settings) {
        return List.of();
    }

    /** True when the result of these settings depends on the machine; the run id then tells machines apart. */
    default boolean measures(S settings) {
        return spec().measuring();
    }

    /** True when the run is a sample of which there can be more: {@code repeat=k} then makes the k-th, from 0. */
    default boolean repeatable(S settings) {
        return measures(settings);
    }

    /**
     * True if runs are never reused, because each records an event, and two may go on at the same time. For measuring
     * stages.
     */
    default boolean happens() {
        return false;
    }
}
