package dev.stagesim.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What sweeps and searches ask of a stage instead of running it.
 *
 * @param <S> settings record
 */
public interface StageAnswers<S extends Record> {
    /** What a run of these settings is expected to take; launchers order and admit jobs by it. */
    default Effort effort(S settings) {
        return Effort.UNKNOWN;
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
}
