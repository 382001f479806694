package dev.stagesim.feature.reference;

import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.Optional;

/** Small models, schedulers and requests for tests of the engine. */
final class Shapes {
    /** Grouped queries, a gate, and widths that are not multiples of the vector length. */
    static final EngineShape GATED = new EngineShape(2, 22, 4, 2, 6, 37, true, true, false, 50, true);

    /** Keys per head, no gate, one norm for attention and feed-forward. */
    static final EngineShape PLAIN = new EngineShape(2, 16, 2, 2, 8, 24, false, false, false, 40, false);

    /** One key head, normalised queries and keys. */
    static final EngineShape NORMED = new EngineShape(3, 24, 4, 1, 6, 16, true, true, true, 64, false);

    private Shapes() {}

    static ServingSpec spec(EngineShape s, SchedulerSpec scheduler, int longest) {
        ModelShape model = new ModelShape(
                s.layers(), s.heads(), s.kvHeads(), s.hidden(), s.headDim(), s.ffn(), s.gated(), s.secondNorm());
        ClusterSpec cluster = new ClusterSpec(1, 1, 1, 1, 1, 0.1, GlobalPolicy.ROUND_ROBIN, 0);
        return new ServingSpec(
                model, Optional.empty(), cluster, scheduler, TimingSpec.DEFAULT, longest, 0, VidurQuirk.NONE);
    }

    static SchedulerSpec sarathi(int cap, int blockSize, long blocks, int chunk) {
        return new SchedulerSpec.Sarathi(new SchedulerSpec.Limits(cap, blockSize, 0, blocks), chunk);
    }

    /** Returns requests that all arrive at time 0. */
    static RequestTrace at0(int[] prompts, int[] outputs) {
        return new RequestTrace(new double[prompts.length], prompts, outputs);
    }
}
