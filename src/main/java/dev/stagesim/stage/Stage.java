package dev.stagesim.stage;

import java.io.IOException;
import java.util.List;

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

    /** Runs the stage; whatever it writes below {@link StageContext#out()} becomes the run's artifacts. */
    void run(S settings, StageContext context) throws IOException;
}
