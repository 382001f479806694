package dev.stagesim.stage;

import dev.stagesim.model.Feature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * One variant of a stage, such as a source of workloads or of measurements.
 *
 * @param <S> settings of the stage
 */
public interface StageKind<S extends Record> {
    /** Returns the value of the settings that selects this kind: a settings class or a constant. */
    Object choice();

    /** As {@link Stage#reads}. */
    default List<Path> reads(S settings, Path home) throws IOException {
        return List.of();
    }

    /** As {@link Stage#check}. */
    default void check(S settings, Path home) throws IOException {}

    /** As {@link Stage#ignoredSections}. */
    default List<String> ignoredSections(S settings) {
        return List.of();
    }

    /** As {@link Stage#measures}. */
    default boolean measures(S settings) {
        return false;
    }

    /** As {@link Stage#run}. */
    void run(S settings, StageContext context) throws IOException;

    /**
     * Returns the kind that a feature of this build adds.
     *
     * @param key the key and value that select it, for the error
     * @throws StageException (input) if no feature adds it
     */
    @SuppressWarnings("unchecked")
    static <S extends Record> StageKind<S> of(Object choice, String key, String value) {
        return Feature.all(StageKind.class).stream()
                .filter(kind -> kind.choice().equals(choice))
                .findFirst()
                .map(kind -> (StageKind<S>) kind)
                .orElseThrow(() -> StageException.input(Problem.config(key, "this build has no " + key + "=" + value)
                        .hint("the module that adds it is not on the class path (target/stagesim-*.jar)")));
    }
}
