package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import java.util.List;

/** The front of price, P99 TTFT and P99 TPOT. */
final class Pareto {
    private Pareto() {}

    /** What a deployment offers, less is better. */
    static double[] objectives(double cost, DeploymentResult result) {
        return new double[] {
            cost, result.metrics().get("ttft_p99_ms"), result.metrics().get("tpot_p99_ms")
        };
    }

    /** Whether a confirmed deployment is on the front of confirmed ones; devices are the price. */
    static boolean isOptimal(DeploymentCandidate candidate, List<DeploymentCandidate> all) {
        return isOptimal(
                objectives(candidate), all.stream().map(Pareto::objectives).toList());
    }

    private static double[] objectives(DeploymentCandidate candidate) {
        return objectives(
                candidate.devices(), candidate.confirmed().orElseThrow().result());
    }

    /** Whether no other offer is as good in everything and better in one. */
    static boolean isOptimal(double[] candidate, List<double[]> others) {
        return others.stream().noneMatch(other -> {
            boolean isAsGood = true;
            boolean isBetter = false;
            for (int i = 0; i < candidate.length; i++) {
                isAsGood &= other[i] <= candidate[i];
                isBetter |= other[i] < candidate[i];
            }
            return isAsGood && isBetter;
        });
    }
}
