package dev.stagesim.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Estimates and in-memory results of a stage, for sweeps and searches.
 *
 * @param <S> settings record
 */
public interface StageEvaluation<S extends Record> {
    /** Returns the estimated effort of a run, which launchers use for order and admission of jobs. */
    default Effort effort(S settings) {
        return Effort.UNKNOWN;
    }

    /** Returns the oracle of the stage, if it has one. */
    default Optional<Oracle<S>> oracle() {
        return Optional.empty();
    }

    /**
     * Returns the in-memory result of a run for {@linkplain Oracle oracles} of downstream stages, equivalent to the artifacts;
     * empty if there is none.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    default Optional<Object> product(S settings, Path home) throws IOException {
        return Optional.empty();
    }
}
