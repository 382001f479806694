package dev.stagesim.stage;

import dev.stagesim.model.Feature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * One of the ways in which a stage does its work, such as a source of workloads or of measurements.
 *
 * @param <S> settings of the stage
 */
public interface StageKind<S extends Record> {
    /** What the settings hold when they choose this kind: a class of settings, or a constant. */
    Object choice();

    /** As {@link Stage#reads}. */
    default List<Path> reads(S settings, Path home) throws IOException {
        return List.of();
    }

    /** As {@link Stage#check}. */
    default void check(S settings, Path home) throws IOException {}

    /** As {@link Stage#unread}. */
    default List<String> unread(S settings) {
        return List.of();
    }

    /** As {@link Stage#measures}. */
    default boolean measures(S settings) {
        return false;
    }

    /** As {@link Stage#run}. */
    void run(S settings, StageContext context) throws IOException;

    /**
     * The kind that a feature of this build adds.
     *
     * @param key the setting that chooses it, and its value, for the error
     * @throws StageException (input) when no feature adds it
     */
    @SuppressWarnings("unchecked")
    static <S extends Record> StageKind<S> of(Object choice, String key, String value) {
        return Feature.all(StageKind.class).stream()
                .filter(kind -> kind.choice().equals(choice))
                .findFirst()
                .map(kind -> (StageKind<S>) kind)
                .orElseThrow(() -> StageException.input(Problem.config(key, "this build has no " + key + "=" + value)
                        .hint("the jar target/stagesim-features.jar holds it")));
    }
}
