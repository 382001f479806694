package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import java.util.List;

/** The front of price, P99 TTFT and P99 TPOT. */
final class Pareto {
    private Pareto() {}

    /** What a deployment offers, less is better. */
    static double[] offer(double cost, DeploymentResult result) {
        return new double[] {
            cost, result.figures().get("ttft_p99_ms"), result.figures().get("tpot_p99_ms")
        };
    }

    /** Whether a confirmed deployment is on the front of confirmed ones; devices are the price. */
    static boolean isOn(DeploymentCandidate candidate, List<DeploymentCandidate> all) {
        return isOn(offer(candidate), all.stream().map(Pareto::offer).toList());
    }

    private static double[] offer(DeploymentCandidate candidate) {
        return offer(candidate.devices(), candidate.confirmed().orElseThrow().result());
    }

    /** Whether no other offer is as good in everything and better in one. */
    static boolean isOn(double[] own, List<double[]> others) {
        return others.stream().noneMatch(other -> {
            boolean isAsGood = true;
            boolean isBetter = false;
            for (int i = 0; i < own.length; i++) {
                isAsGood &= other[i] <= own[i];
                isBetter |= other[i] < own[i];
            }
            return isAsGood && isBetter;
        });
    }
}
