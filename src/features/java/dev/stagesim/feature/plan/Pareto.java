package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.Trials.Trial;
import java.util.List;

/** The front of price, P99 TTFT and P99 TPOT. */
final class Pareto {
    private Pareto() {}

    /** What a deployment offers, less is better. */
    static double[] offer(double cost, Trial trial) {
        return new double[] {
            cost, trial.figures().get("ttft_p99_ms"), trial.figures().get("tpot_p99_ms")
        };
    }

    /** Whether a confirmed deployment is on the front of confirmed ones; devices are the price. */
    static boolean isOn(Candidate candidate, List<Candidate> all) {
        return isOn(offer(candidate), all.stream().map(Pareto::offer).toList());
    }

    private static double[] offer(Candidate candidate) {
        return offer(candidate.devices(), candidate.confirmed().orElseThrow().trial());
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
