package dev.stagesim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec.Lora;

/**
 * Memory and times of LoRA adapters. Each attention projection and each dense feed-forward matrix gets two matrices of the
 * maximum rank. The first is sharded if the input of its projection is, the second if the output is.
 */
record LoraSlots(ModelCard model, int tensor) {
    private static final int BYTES = 2;
    private static final double BYTES_PER_GB = 1e9;

    /** Returns the adapters of the settings on a device. */
    static Lora of(SchedulerSettings.VllmV1 settings, ModelCard model, HardwareCard hardware, ClusterSettings cluster) {
        if (!settings.lora().enableLora()) {
            return Lora.NONE;
        }
        if (hardware.host().hostUniGbs().isEmpty()) {
            throw StageException.input(Problem.config(
                            "hardware.host_uni_gbs",
                            "the card " + hardware.name() + " does not have it, and adapters are loaded from the host")
                    .hint("set hardware.host_uni_gbs, or scheduler.enable_lora=false"));
        }
        LoraSlots split = new LoraSlots(model, cluster.tensorParallelSize());
        return split.of(
                settings.lora().maxLoras(), settings.lora().maxLoraRank(), hardware, cluster.numPipelineStages());
    }

    /** Returns {@code slots} slots for adapters of a rank, on a device of one of {@code stages} pipeline stages. */
    Lora of(int slots, int rank, HardwareCard hardware, int stages) {
        double host = hardware.host().hostUniGbs().orElseThrow();
        double bytes = BYTES * rank * valuesPerRank() / stages;
        return new Lora(
                slots,
                Math.round(bytes),
                bytes / (host * BYTES_PER_GB),
                bytes / (hardware.statedMemBwGbs() * BYTES_PER_GB));
    }

    /** Returns the values of an adapter of rank 1 on a device, over all layers. */
    double valuesPerRank() {
        int dense = ModelSize.ffnLayers(model) - ModelSize.expertLayers(model);
        return ModelSize.attentionLayers(model) * attention() + dense * feedForward();
    }

    private double attention() {
        double hidden = model.shape().hiddenSize();
        double heads = (double) model.shape().numHeads()
                * model.latent().vHeadDim().orElse(model.shape().headDim());
        double out = heads / tensor + hidden;
        if (!model.isLatentAttention()) {
            double query = (double) model.shape().numHeads() * model.shape().headDim();
            double keys = 2.0 * model.shape().numKvHeads() * model.shape().headDim();
            return 3 * hidden + (query + keys) / tensor + out;
        }
        double rope = model.latent().qkRopeDim().orElse(0);
        double nope = model.latent().qkNopeDim().orElse(model.shape().headDim());
        double rank = model.latent().kvLoraRank().orElse(0);
        double down = model.latent().qLoraRank().orElse(0);
        double query = model.shape().numHeads() * (nope + rope) / tensor + (down == 0 ? hidden : hidden + 2 * down);
        double expanded = rank + (model.shape().numHeads() * nope + heads) / tensor;
        return query + hidden + rank + rope + expanded + out;
    }

    private double feedForward() {
        double hidden = model.shape().hiddenSize();
        return model.shape().mlpMatrices() * (hidden + (double) model.shape().ffnDim() / tensor);
    }
}
