package dev.stagesim.verify.fidelity;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.LayerGroup;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.ModelSize;
import dev.stagesim.model.StepCard;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.kernels.StepModel;

/**
 * What a row was measured on.
 *
 * @param chunk most tokens of a step
 * @param wholePrompts whether prompts run whole in steps of their own
 * @param profiledBytes memory of a device that the engine keeps for the peak of a step, libraries and graphs
 */
record Subject(
        ModelCard model,
        HardwareCard hardware,
        StepCard engine,
        Sharding sharding,
        double hostClass,
        int chunk,
        boolean wholePrompts,
        long profiledBytes) {
    private static final double USED = 0.9;
    private static final double GIB = 1L << 30;

    /** The same with other steps. */
    Subject chunked(int tokens) {
        return new Subject(model, hardware, engine, sharding, hostClass, tokens, wholePrompts, profiledBytes);
    }

    LayerTimes layers(int mostKvTokens) {
        int most = (mostKvTokens / LayerTimes.KV_STEP + 2) * LayerTimes.KV_STEP;
        return new LayerTimes(model, hardware, engine, sharding, most);
    }

    StepModel steps(LayerTimes layers) {
        return new StepModel(model, hostClass, engine, sharding, layers);
    }

    /** Bytes of weights on one device. */
    double weightBytes() {
        double all = model.size().weightBytes();
        double experts = 0;
        if (model.isMixtureOfExperts()) {
            experts = model.bytes(LayerGroup.EXPERTS)
                    * ModelSize.expertLayers(model)
                    * model.numExperts().orElseThrow()
                    * ModelSize.expert(model);
        }
        double shared = (all - experts) / sharding.tensor();
        return (shared + experts / (sharding.expertTensor() * sharding.expertParts())) / sharding.stages();
    }

    /** Tokens that the cache of one attention copy holds. */
    double kvTokens() {
        return kvTokens(usableBytes() * USED - profiledBytes);
    }

    double usableBytes() {
        return hardware.usableMemGib() * GIB;
    }

    /** Tokens that fit beside the weights in so much memory of a device. */
    double kvTokens(double bytes) {
        double heads = model.isLatentAttention()
                ? 1
                : Math.ceil(model.numKvHeads() / (double) sharding.tensor()) / model.numKvHeads();
        double token = model.size().kvBytesPerToken() * heads / sharding.stages();
        return (bytes - weightBytes()) / Math.max(1, token);
    }
}
