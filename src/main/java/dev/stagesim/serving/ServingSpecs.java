package dev.stagesim.serving;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.ModelSize;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.sim.serving.ClusterSpec;
import dev.stagesim.sim.serving.Footprint;
import dev.stagesim.sim.serving.GlobalPolicy;
import dev.stagesim.sim.serving.ModelShape;
import dev.stagesim.sim.serving.SchedulerSpec;

/** Turns the sections that describe a serving system into the serving kernels' own terms. */
public final class ServingSpecs {
    private static final long REFERENCE_SEED = 42;

    private ServingSpecs() {}

    /** The model's dimensions. */
    public static ModelShape shape(ModelCard card) {
        return new ModelShape(
                card.numLayers(),
                card.numHeads(),
                card.numKvHeads(),
                card.hiddenSize(),
                card.headDim(),
                card.ffnDim(),
                card.gatedMlp(),
                card.postAttentionNorm());
    }

    /** The model's size as its card counts it. */
    public static Footprint footprint(ModelCard card) {
        ModelSize size = card.size();
        return new Footprint(
                size.parameters(), size.activeParameters(), size.kvBytesPerToken(), !card.isLatentAttention());
    }

    /** The cluster; its peak rate is not a number where the card has none. */
    public static ClusterSpec cluster(ClusterSettings settings, HardwareCard hardware) {
        return new ClusterSpec(
                settings.replicas(),
                settings.tensorParallelSize(),
                settings.numPipelineStages(),
                settings.memoryGib().orElse(hardware.memGb()),
                hardware.bf16OrFp16Tflops().orElse(Double.NaN),
                settings.memoryMarginFraction(),
                GlobalPolicy.valueOf(settings.globalScheduler().name()),
                settings.seed().orElse(REFERENCE_SEED));
    }

    /** The scheduler of a replica. */
    public static SchedulerSpec scheduler(SchedulerSettings settings) {
        if (settings instanceof SchedulerSettings.Vllm s) {
            return new SchedulerSpec.Vllm(limits(s, s.watermarkBlocksFraction()), s.maxTokensInBatch());
        } else if (settings instanceof SchedulerSettings.Sarathi s) {
            return new SchedulerSpec.Sarathi(limits(s, s.watermarkBlocksFraction()), s.chunkSize());
        } else if (settings instanceof SchedulerSettings.Orca s) {
            return new SchedulerSpec.Orca(limits(s, 0));
        } else if (settings instanceof SchedulerSettings.FasterTransformer s) {
            return new SchedulerSpec.FasterTransformer(limits(s, 0));
        } else if (settings instanceof SchedulerSettings.LightLlm s) {
            return new SchedulerSpec.LightLlm(limits(s, 0), s.maxTokensInBatch(), s.maxWaitingIters());
        }
        throw new IllegalStateException("no scheduler for " + settings.getClass());
    }

    private static SchedulerSpec.Limits limits(SchedulerSettings settings, double watermark) {
        return new SchedulerSpec.Limits(
                settings.batchSizeCap(),
                settings.blockSize(),
                watermark,
                settings.numBlocks().orElse(0));
    }
}
