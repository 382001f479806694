package dev.stagesim.sim.trace.generate;

import java.util.ArrayList;
import java.util.List;

/** Order of the micro-batches in a pipeline stage. */
public enum MicroBatchOrder {
    /** GPipe: all forward passes, then all backward passes. */
    GPIPE,
    /** 1F1B: each backward pass as early as possible, so that few activations are stored. */
    ONE_F_ONE_B;

    /** One pass over a micro-batch. */
    public record Pass(int batch, boolean isForward) {}

    /** Returns the passes of a stage in order. Backward passes have the same micro-batch order as forward passes. */
    public List<Pass> passes(int stage, int stages, int microBatches) {
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
