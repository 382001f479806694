package dev.stagesim.serving;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.ModelSize;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.sim.serving.ClusterSpec;
import dev.stagesim.sim.serving.Footprint;
import dev.stagesim.sim.serving.GlobalPolicy;
import dev.stagesim.sim.serving.ModelShape;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.TimingSpec;
import java.util.Optional;

/** Turns settings into the simulator's own terms. */
final class Specs {
    /** What the reference takes as longest sequence unless told otherwise. */
    private static final int REFERENCE_MAX_TOKENS = 4096;

    private static final long REFERENCE_SEED = 42;

    private Specs() {}

    static ServingSpec of(Deployment settings, int longestRequest, boolean host, double requestSeconds) {
        boolean quirks = settings.compat() == Compat.VIDUR;
        int longest = quirks ? Math.max(REFERENCE_MAX_TOKENS, longestRequest) : longestRequest;
        return new ServingSpec(
                shape(settings.model()),
                quirks ? Optional.empty() : Optional.of(footprint(settings.model())),
                cluster(settings.cluster(), settings.hardware()),
                scheduler(settings.scheduler()),
                timing(settings.overheads(), host).withRequestSeconds(requestSeconds),
                settings.maxTokens().orElse(longest),
                settings.timeLimit().orElse(0.0),
                quirks);
    }

    private static ModelShape shape(ModelCard card) {
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

    private static Footprint footprint(ModelCard card) {
        ModelSize size = card.size();
        return new Footprint(
                size.parameters(), size.activeParameters(), size.kvBytesPerToken(), !card.isLatentAttention());
    }

    private static ClusterSpec cluster(ClusterSettings settings, HardwareCard hardware) {
        double tflops = hardware.bf16OrFp16Tflops()
                .orElseThrow(() -> StageException.input(Problem.of(
                                "config error",
                                "hardware",
                                hardware.name() + " has no 16-bit peak rate, which model FLOPs utilisation needs")
                        .hint("set hardware.bf16_tflops")));
        return new ClusterSpec(
                settings.replicas(),
                settings.tensorParallelSize(),
                settings.numPipelineStages(),
                settings.memoryGib().orElse(hardware.memGb()),
                tflops,
                settings.memoryMarginFraction(),
                GlobalPolicy.valueOf(settings.globalScheduler().name()),
                settings.seed().orElse(REFERENCE_SEED));
    }

    private static SchedulerSpec scheduler(SchedulerSettings settings) {
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

    private static TimingSpec timing(SimulationSettings.Overheads overheads, boolean host) {
        return new TimingSpec(
                overheads.attentionDecodeBatchingFraction(),
                overheads.attentionPrefillBatchingFraction(),
                overheads.ncclCpuLaunchMs(),
                overheads.ncclCpuSkewPerDeviceMs(),
                host);
    }
}
