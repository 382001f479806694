package dev.stagesim.serving;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.sim.serving.spec.Footprint;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import dev.stagesim.workload.CompatMode;
import java.util.Optional;

/** Converts settings to simulator specifications. */
final class ReplicaSpecs {
    /** Default maximum sequence length of the reference. */
    private static final int REFERENCE_MAX_TOKENS = 4096;

    /** Attention overhead of batches with several requests in the reference. */
    private static final double REFERENCE_BATCHING = 0.1;

    private ReplicaSpecs() {}

    static ServingSpec of(
            ReplicaModel settings, int longestRequest, boolean host, double requestSeconds, double tokenSeconds) {
        boolean isVidur = settings.compat() == CompatMode.VIDUR;
        int longest = isVidur ? Math.max(REFERENCE_MAX_TOKENS, longestRequest) : longestRequest;
        return new ServingSpec(
                ServingSpecs.shape(settings.model()),
                isVidur ? Optional.empty() : Optional.of(footprint(settings)),
                ServingSpecs.cluster(settings.cluster(), settings.hardware(), settings.scheduler(), settings.model()),
                ServingSpecs.scheduler(
                        settings.scheduler(),
                        settings.hardware(),
                        settings.model(),
                        settings.cluster(),
                        settings.maxTokens().orElse(longest)),
                timing(settings.overheads(), host, isVidur).withArrival(requestSeconds, tokenSeconds),
                settings.maxTokens().orElse(longest),
                settings.timeLimit().orElse(0.0),
                isVidur ? VidurQuirk.VIDUR : VidurQuirk.NONE);
    }

    private static Footprint footprint(ReplicaModel settings) {
        ModelCard model = settings.model();
        SchedulerSettings scheduler = settings.scheduler();
        Footprint divided = settings.shared()
                .map(experts -> ExpertSharing.footprint(model, experts.storedExperts()))
                .orElseGet(() -> ExpertSharing.footprint(model, scheduler.dataParallelSize()));
        Footprint target = ExpertSharing.replicated(
                divided,
                model,
                settings.shared().map(ReplicaModel.SharedExperts::sharding).orElseGet(settings::sharding));
        return Drafts.of(scheduler, model)
                .map(drafts -> drafts.footprint(target))
                .orElse(target);
    }

    private static TimingSpec timing(SimulationSettings.Overheads overheads, boolean host, boolean isVidur) {
        double batching = isVidur ? REFERENCE_BATCHING : 0;
        return new TimingSpec(
                overheads.attentionDecodeBatchingFraction().orElse(batching),
                overheads.attentionPrefillBatchingFraction().orElse(batching),
                overheads.ncclCpuLaunchMs(),
                overheads.ncclCpuSkewPerDeviceMs(),
                overheads.sumPrefillChunks().orElse(!isVidur),
                host,
                0,
                0);
    }
}
