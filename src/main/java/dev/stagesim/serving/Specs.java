package dev.stagesim.serving;

import dev.stagesim.settings.Compat;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.TimingSpec;
import java.util.Optional;

/** Turns settings into the simulator's own terms. */
final class Specs {
    /** What the reference takes as longest sequence unless told otherwise. */
    private static final int REFERENCE_MAX_TOKENS = 4096;

    private Specs() {}

    static ServingSpec of(Deployment settings, int longestRequest, boolean host, double requestSeconds) {
        boolean quirks = settings.compat() == Compat.VIDUR;
        int longest = quirks ? Math.max(REFERENCE_MAX_TOKENS, longestRequest) : longestRequest;
        return new ServingSpec(
                ServingSpecs.shape(settings.model()),
                quirks ? Optional.empty() : Optional.of(ServingSpecs.footprint(settings.model())),
                ServingSpecs.cluster(settings.cluster(), settings.hardware()),
                ServingSpecs.scheduler(settings.scheduler()),
                timing(settings.overheads(), host).withRequestSeconds(requestSeconds),
                settings.maxTokens().orElse(longest),
                settings.timeLimit().orElse(0.0),
                quirks);
    }

    private static TimingSpec timing(SimulationSettings.Overheads overheads, boolean host) {
        return new TimingSpec(
                overheads.attentionDecodeBatchingFraction(),
                overheads.attentionPrefillBatchingFraction(),
                overheads.ncclCpuLaunchMs(),
                overheads.ncclCpuSkewPerDeviceMs(),
                overheads.sumPrefillChunks(),
                host,
                0);
    }
}
