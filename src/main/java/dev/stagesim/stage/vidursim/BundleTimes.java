package dev.stagesim.stage.vidursim;

import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Path;

/** Operator times from the profiling bundle, for the model, device, parallelism and block size of the settings. */
final class BundleTimes {
    /** Block size that profilers measure attention with unless told otherwise. */
    private static final int USUAL_BLOCK_SIZE = 16;

    private BundleTimes() {}

    static OperatorTimes read(VidurSimSettings settings, Path root, StageContext context) throws IOException {
        ClusterSettings cluster = settings.cluster();
        BundleRequest request = BundleRequest.of(settings.model(), settings.hardware())
                .onDevices(cluster.tensorParallelSize(), cluster.numPipelineStages())
                .withBlockSize(blockSize(settings.scheduler(), context))
                .withHostOverheads(settings.simulation().overheads().host());
        Bundle bundle = BundleReader.read(root, request);
        bundle.warnings().forEach(context::warn);
        return Predictors.of(settings.predictor()).fit(bundle.profile());
    }

    /** LightLLM counts memory in single tokens, which says nothing about the kernel that was measured. */
    private static int blockSize(SchedulerSettings scheduler, StageContext context) {
        if (scheduler instanceof SchedulerSettings.LightLlm) {
            context.warn("attention times are those measured with KV blocks of " + USUAL_BLOCK_SIZE
                    + " tokens; the lightllm scheduler itself counts single tokens");
            return USUAL_BLOCK_SIZE;
        }
        return scheduler.blockSize();
    }
}
