package dev.stagesim.feature.plan;

import dev.stagesim.report.Numbers;
import dev.stagesim.stats.Quantiles;

/** The conditions under which a plan holds: model, hardware, workload, limits, and what is not modelled. */
record PlanConditions(Plan plan) {
    private static final double MEDIAN = 0.5;
    private static final double P99 = 0.99;

    String text() {
        PlanSettings settings = plan.settings();
        Requests requests = plan.requests();
        return "Conditions: " + settings.model().name() + " on "
                + settings.hardware().name() + "; "
                + plan.winner()
                        .map(best -> "step times of engine card "
                                + best.deployment().shape().engine() + "; ")
                        .orElse("")
                + "prompts " + lengths(requests.prompts()) + ", outputs " + lengths(requests.outputs())
                + " tokens (median, P99); " + Numbers.plain(settings.load()) + " requests/s; "
                + Numbers.count(requests.size()) + " requests with each of " + requests.seeds()
                + " seeds; longest request " + Numbers.count(requests.longest()) + " tokens, context of the model "
                + Numbers.count(settings.model().maxPosition()) + "; memory utilization "
                + Numbers.plain(settings.memoryUtilization()) + ".";
    }

    private static String lengths(double[] tokens) {
        return Numbers.count(Math.round(Quantiles.of(tokens, MEDIAN))) + " and "
                + Numbers.count(Math.round(Quantiles.of(tokens, P99)));
    }
}
