package dev.stagesim.serving;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The conditions of one simulated deployment. */
public record ServingConditions(ReplicaModel deployment, ServingSpec spec, Optional<WorkloadDocument> workload) {
    /** Returns the conditions of a simulation of these requests. */
    public RunConditions of(RequestTrace trace, String load, List<String> extrapolated) {
        return of(
                ConditionText.workload(trace.size(), trace::prefillTokens, trace::decodeTokens, workload),
                load,
                extrapolated);
    }

    /** Returns the conditions with descriptions of the workload and the load. */
    public RunConditions of(String requests, String load, List<String> extrapolated) {
        ClusterSpec cluster = spec.cluster();
        int engine = cluster.tensorParallel() * cluster.pipelineStages();
        return new RunConditions(
                ConditionText.model(deployment.model(), deployment.hardware()),
                ConditionText.devices(cluster.replicas() * engine, engine * cluster.lockStep(), deployment.hardware()),
                ConditionText.engine(ConditionText.engineName(spec.scheduler()), deployment),
                ConditionText.parallelism(spec),
                requests,
                load,
                ConditionText.seeds(workload),
                ConditionText.contextLimit(deployment.model(), deployment.maxTokens(), workload),
                workload.flatMap(WorkloadDocument::truncation).stream().toList(),
                extrapolated,
                notModelled());
    }

    private List<String> notModelled() {
        List<String> effects = new ArrayList<>();
        if (deployment.engine().graphs().execution() == StepCard.Execution.NONE) {
            effects.add("host time and launches of the engine");
        }
        if (deployment.predictor() instanceof PredictorSettings.Tables) {
            effects.add("operators without a table of times");
        }
        ConditionText.convertedCache(deployment.model(), deployment.hardware()).ifPresent(effects::add);
        return effects;
    }
}
