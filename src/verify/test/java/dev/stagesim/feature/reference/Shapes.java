package dev.stagesim.feature.reference;

import static java.util.Map.entry;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.Map;
import java.util.Optional;

/** Small models, schedulers and requests for tests of the engine. */
final class Shapes {
    /** Grouped queries, a gate, and widths that are not multiples of the vector length. */
    static final EngineShape GATED = KeyRecord.of(
            EngineShape.class,
            Map.ofEntries(
                    entry("layers", 2),
                    entry("hidden", 22),
                    entry("heads", 4),
                    entry("kvHeads", 2),
                    entry("headDim", 6),
                    entry("ffn", 37),
                    entry("gated", true),
                    entry("secondNorm", true),
                    entry("qkNorm", false),
                    entry("vocab", 50),
                    entry("tied", true)));

    /** Keys per head, no gate, one norm for attention and feed-forward. */
    static final EngineShape PLAIN = KeyRecord.of(
            EngineShape.class,
            Map.ofEntries(
                    entry("layers", 2),
                    entry("hidden", 16),
                    entry("heads", 2),
                    entry("kvHeads", 2),
                    entry("headDim", 8),
                    entry("ffn", 24),
                    entry("gated", false),
                    entry("secondNorm", false),
                    entry("qkNorm", false),
                    entry("vocab", 40),
                    entry("tied", false)));

    /** One key head, normalised queries and keys. */
    static final EngineShape NORMED = KeyRecord.of(
            EngineShape.class,
            Map.ofEntries(
                    entry("layers", 3),
                    entry("hidden", 24),
                    entry("heads", 4),
                    entry("kvHeads", 1),
                    entry("headDim", 6),
                    entry("ffn", 16),
                    entry("gated", true),
                    entry("secondNorm", true),
                    entry("qkNorm", true),
                    entry("vocab", 64),
                    entry("tied", false)));

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
