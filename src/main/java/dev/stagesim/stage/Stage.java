package dev.stagesim.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One step of the pipeline: settings and inputs in, artifacts out.
 *
 * <p>Implementations are glue: they read inputs, call pure kernels and write artifacts. They hold no state.
 *
 * @param <S> settings record
 */
public interface Stage<S extends Record> {
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

    /** The stage's answers without artifacts, if it can give them. */
    default Optional<Oracle<S>> oracle() {
        return Optional.empty();
    }

    /**
     * What a run of these settings would hand on, in memory, for {@linkplain Oracle oracles} of other stages that take it;
     * it says the same as the artifacts. Empty when there is no such thing.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    default Optional<Object> product(S settings, Path home) throws IOException {
        return Optional.empty();
    }

    /** What a run of these settings is expected to take; launchers order and admit jobs by it. */
    default Effort effort(S settings) {
        return Effort.UNKNOWN;
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
     * True if runs are never reused, because each records an event: and two may go on at the
     * same time. For measuring stages.
     */
    default boolean happens() {
        return false;
    }

    /** The artifact with the lines that the reproduced tool prints itself, for stages that write one. */
    default Optional<String> nativeLog() {
        return Optional.empty();
    }

    /** What the stage's command needs of its virtual machine, if not the usual: the first rule that fits holds. */
    default List<Jvm.Rule> jvm() {
        return List.of();
    }

    /** Flags of the stage's command, each short for an override. */
    default List<StageFlag> flags() {
        return List.of();
    }

    /** Runs the stage; whatever it writes below {@link StageContext#out()} becomes the run's artifacts. */
    void run(S settings, StageContext context) throws IOException;
}
