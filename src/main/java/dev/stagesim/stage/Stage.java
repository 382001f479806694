package dev.stagesim.stage;

import java.io.IOException;

/**
 * One step of the pipeline: settings and inputs in, artifacts out.
 *
 * <p>Implementations are glue: they read inputs, call pure kernels and write artifacts. They hold no state. What is asked of
 * a stage without running it is in the interfaces that this one extends.
 *
 * @param <S> settings record
 */
public interface Stage<S extends Record> extends StagePlanning<S>, StageAnswers<S>, StageLaunch {
    /** Runs the stage; whatever it writes below {@link StageContext#out()} becomes the run's artifacts. */
    void run(S settings, StageContext context) throws IOException;
}
