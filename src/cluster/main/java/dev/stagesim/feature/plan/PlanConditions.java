package dev.stagesim.feature.plan;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.EngineChoice.Kind;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.PoolSimulator.Pool;
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
        Optional<PoolConfiguration> pools = plan.answer().flatMap(Recommendation::pools);
        return new RunConditions(
                answeredShape()
                        .map(shape -> ConditionText.model(shape.stored(settings.model()), settings.hardware()))
                        .orElse(ConditionText.architecture(settings.model())),
                pools.flatMap(PoolConfiguration::outputs)
                        .filter(pool ->
                                settings.search().pooling().outputHardware().isPresent())
                        .map(pool -> devices(pools.get().prompts()) + " and " + devices(pool))
                        .or(() -> plan.answer()
                                .map(Recommendation::devices)
                                .map(devices -> ConditionText.devices(devices, settings.hardware())))
                        .map(devices -> devices
                                + network(pools.flatMap(PoolConfiguration::outputs)
                                        .isPresent()))
                        .orElse(settings.hardware().name()),
                engine(),
                plan.answer().map(Recommendation::words).orElse(""),
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

    private static String devices(Pool pool) {
        return ConditionText.devices(pool.devices(), pool.replica().hardware());
    }

    private String network(boolean hasTransfers) {
        HardwareCard hardware = plan.settings().hardware();
        return ConditionText.betweenNodes(answeredShape().map(Shape::devices).orElse(1), hardware)
                + (hasTransfers ? ", KV transfers at " + ConditionText.network(hardware) : "");
    }

    private Optional<Shape> answeredShape() {
        return plan.answer().map(Recommendation::shape);
    }

    private String engine() {
        return answeredShape()
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
        answeredShape().ifPresent(shape -> {
            ConditionText.convertedCache(
                            shape.stored(plan.settings().model()),
                            plan.settings().hardware())
                    .ifPresent(effects::add);
            if (shape.kind() == Kind.TRTLLM) {
                effects.add("batching of TensorRT-LLM (rules of vLLM V1)");
            }
            if (shape.pp() > 1) {
                effects.add("measured times of pipelines and of copies over several nodes");
                if (plan.settings().model().shape().numLayers() % shape.pp() != 0) {
                    effects.add("pipeline stages with fewer layers than the largest one");
                }
            }
        });
        return effects;
    }
}
