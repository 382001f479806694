package dev.stagesim.stage;

import java.io.IOException;

/**
 * One step of the pipeline, which creates artifacts from settings and inputs.
 *
 * <p>Implementations read inputs, call pure kernels and write artifacts. They are stateless. The extended interfaces contain
 * the methods that do not run the stage.
 *
 * @param <S> settings record
 */
public interface Stage<S extends Record> extends StagePlanning<S>, StageEvaluation<S>, StageLaunch {
    /** Runs the stage; all files below {@link StageContext#out()} become artifacts of the run. */
    void run(S settings, StageContext context) throws IOException;
}
