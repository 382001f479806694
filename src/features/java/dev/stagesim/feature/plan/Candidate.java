package dev.stagesim.feature.plan;

import dev.stagesim.feature.Deployment;
import dev.stagesim.feature.Replica;
import dev.stagesim.feature.plan.Steady.State;
import dev.stagesim.feature.plan.Trials.Trial;
import java.util.Locale;
import java.util.Optional;

/**
 * A deployment and its fate.
 *
 * @param replica the model in its shape; empty where it cannot run
 * @param estimate what the steady state promises; empty where no number of copies does
 * @param fate the outcome
 * @param why in words
 * @param confirmed what simulation made of it; empty where it was not simulated
 */
record Candidate(
        Deployment deployment,
        Optional<Replica> replica,
        Optional<Estimate> estimate,
        Fate fate,
        String why,
        Optional<Confirmed> confirmed) {
    /** Outcomes of a deployment. */
    enum Fate {
        /** Confirmed, and none is cheaper. */
        WINNER,
        /** Confirmed by simulation. */
        HOLDS,
        /** It costs more than what was confirmed. */
        DEARER,
        /** As good as others by the estimate; simulations were spent on those. */
        NOT_SIMULATED,
        /** No number of copies holds the service level. */
        MISSES,
        /** It does not fit the memory. */
        MEMORY,
        /** Model, device or engine cannot run it. */
        UNSUPPORTED;

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What the steady state promises.
     *
     * @param least copies that no simulation should do without
     * @param replicas copies that should do; the least where no number should
     * @param should whether they should
     * @param state state of each of those
     * @param ttftMs P99 of the time to the first token, about
     * @param tpotMs P99 of the time of an output token, about
     * @param spare how many times the load they should carry
     */
    record Estimate(int least, int replicas, boolean should, State state, double ttftMs, double tpotMs, double spare) {}

    /**
     * What simulation says.
     *
     * @param replicas least copies that hold the service level; what was tried last where none does
     * @param trial the simulation of those
     * @param maxLoad greatest load that they carry, in requests a second; 0 where it was not looked for
     */
    record Confirmed(int replicas, Trial trial, double maxLoad) {}

    Candidate with(Fate newFate, String newWhy) {
        return new Candidate(deployment, replica, estimate, newFate, newWhy, confirmed);
    }

    Candidate with(Fate newFate, String newWhy, Confirmed newConfirmed) {
        return new Candidate(deployment, replica, estimate, newFate, newWhy, Optional.of(newConfirmed));
    }

    /** Copies, as far as they are known. */
    int replicas() {
        return confirmed
                .map(Confirmed::replicas)
                .or(() -> estimate.map(Estimate::replicas))
                .orElse(0);
    }

    int devices() {
        return replicas() * deployment.shape().devices();
    }

    /** Least devices that it could do with. */
    int leastDevices() {
        return estimate.orElseThrow().least() * deployment.shape().devices();
    }

    boolean isConfirmed() {
        return fate == Fate.WINNER || fate == Fate.HOLDS;
    }
}
