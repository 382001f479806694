package dev.stagesim.feature.plan;

import dev.stagesim.serving.ServingInput;
import dev.stagesim.stage.Oracle;
import dev.stagesim.stage.OracleContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Evaluates plans for searches and sweeps without writing them. Devices and price are missing if no deployment meets
 * the SLO.
 */
final class PlanOracle implements Oracle<PlanSettings> {
    @Override
    public SortedMap<String, Double> known(PlanSettings settings) {
        return new TreeMap<>();
    }

    @Override
    public SortedMap<String, Double> figures(PlanSettings settings, OracleContext context) throws IOException {
        return finite(ServingPlan.of(
                settings, requests(settings, context), context.home(), estimate -> {}, (what, count, max) -> {}));
    }

    @Override
    public SortedMap<String, Double> estimates(PlanSettings settings, OracleContext context) throws IOException {
        SortedMap<String, Double> figures =
                finite(ServingPlan.estimated(settings, requests(settings, context), context.home()));
        figures.remove("simulations");
        return figures;
    }

    private static SortedMap<String, Double> finite(ServingPlan plan) {
        SortedMap<String, Double> figures = new TreeMap<>(plan.headlines());
        figures.values().removeIf(value -> !Double.isFinite(value));
        return figures;
    }

    private static RequestSamples requests(PlanSettings settings, OracleContext context) throws IOException {
        List<ServingInput> inputs = new ArrayList<>();
        for (String role : PlanStage.roles(settings)) {
            inputs.add(ServingInput.of(context, role));
        }
        return PlanStage.requests(settings, inputs);
    }
}
