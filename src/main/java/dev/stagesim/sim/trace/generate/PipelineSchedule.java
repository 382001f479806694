package dev.stagesim.sim.trace.generate;

import java.util.ArrayList;
import java.util.List;

/** The order in which a stage of a pipeline works on micro-batches. */
public enum PipelineSchedule {
    /** All forward, then all backward. */
    GPIPE,
    /** Backward as soon as possible, so that few activations are kept. */
    ONE_F_ONE_B;

    /** A pass over a micro-batch. */
    record Pass(int batch, boolean isForward) {}

    /** Passes of a stage in order; micro-batches come back in the order in which they went. */
    List<Pass> passes(int stage, int stages, int microBatches) {
        int ahead = this == GPIPE ? microBatches : Math.min(stages - 1 - stage, microBatches);
        List<Pass> passes = new ArrayList<>();
        int back = 0;
        for (int batch = 0; batch < microBatches; batch++) {
            passes.add(new Pass(batch, true));
            if (batch >= ahead) {
                passes.add(new Pass(back++, false));
            }
        }
        while (back < microBatches) {
            passes.add(new Pass(back++, false));
        }
        return passes;
    }
}
