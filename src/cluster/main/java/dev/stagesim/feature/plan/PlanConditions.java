package dev.stagesim.feature.plan;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.EngineChoice.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The conditions under which a plan meets the SLO. */
record PlanConditions(ServingPlan plan, Optional<WorkloadDocument> workload) {
    RunConditions all() {
        PlanSettings settings = plan.settings();
        RequestSamples requests = plan.requests();
        double[] prompts = requests.prompts();
        double[] outputs = requests.outputs();
        return new RunConditions(
                plan.winner()
                        .map(best -> best.deployment().shape())
                        .map(shape -> ConditionText.model(shape.stored(settings.model()), settings.hardware()))
                        .orElse(ConditionText.architecture(settings.model())),
                plan.winner()
                        .map(best -> ConditionText.devices(best.devices(), settings.hardware()))
                        .orElse(settings.hardware().name()),
                engine(),
                plan.winner()
                        .map(best -> PlanAnswer.copies(
                                best.replicas(), best.deployment().shape().words()))
                        .orElse(""),
                ConditionText.workload(requests.size(), i -> (int) prompts[i], i -> (int) outputs[i], workload),
                settings.closedLoop()
                        .map(loop -> loop + "; the first wave of requests is excluded")
                        .orElseGet(() -> Numbers.plain(settings.load())
                                + " requests/s: inter-arrival times scaled from "
                                + workload.map(WorkloadDocument::arrivals).orElse("the measured ones")),
                seeds(),
                ConditionText.contextLimit(settings.model(), Optional.empty(), workload),
                workload.flatMap(WorkloadDocument::truncation).stream().toList(),
                List.of(),
                notModelled());
    }

    private String engine() {
        return plan.winner()
                .map(best -> best.deployment().shape())
                .map(shape -> ConditionText.engine(shape.kind().words(), shape.card()))
                .orElse("engines "
                        + String.join(", ", plan.settings().candidates().keySet()));
    }

    private String seeds() {
        int drawn = plan.requests().drawn();
        int all = plan.requests().seeds();
        String first = workload.map(made -> " from " + made.seed()).orElse("");
        return drawn == all
                ? all + " seeds" + first
                : all + " orders of the requests and their inter-arrival times"
                        + (drawn > 1 ? ", " + drawn + " drawn" : "");
    }

    private List<String> notModelled() {
        List<String> effects = new ArrayList<>(List.of("host time of the router"));
        plan.winner().map(best -> best.deployment().shape()).ifPresent(shape -> {
            if (shape.kind() == Kind.TRTLLM) {
                effects.add("batching of TensorRT-LLM (rules of vLLM V1)");
            }
            if (shape.pp() > 1) {
                effects.add("measured times of pipelines and of copies over several nodes");
            }
        });
        return effects;
    }
}
