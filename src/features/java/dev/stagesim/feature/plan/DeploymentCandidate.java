package dev.stagesim.feature.plan;

import dev.stagesim.feature.EngineChoice;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.SteadyStateModel.State;
import dev.stagesim.serving.ReplicaModel;
import java.util.Locale;
import java.util.Optional;

/**
 * A deployment and its fate.
 *
 * @param replica the model in its shape; empty where it cannot run
 * @param estimate what the steady state promises; empty where no number of copies does
 * @param status the outcome
 * @param reason in words
 * @param confirmed what simulation made of it; empty where it was not simulated
 */
record DeploymentCandidate(
        EngineChoice deployment,
        Optional<ReplicaModel> replica,
        Optional<SizeEstimate> estimate,
        Status status,
        String reason,
        Optional<ConfirmedSize> confirmed) {
    /** Outcomes of a deployment. */
    enum Status {
        /** Confirmed, and none is cheaper. */
        WINNER,
        /** Confirmed by simulation. */
        FEASIBLE,
        /** It costs more than what was confirmed. */
        MORE_EXPENSIVE,
        /** As good as others by the estimate; simulations were spent on those. */
        NOT_SIMULATED,
        /** No number of copies satisfies the service level. */
        SLO_MISSED,
        /** The maximum number of copies cannot serve the load. */
        OVERLOAD,
        /** It does not fit the memory. */
        OUT_OF_MEMORY,
        /** Model, device or engine cannot run it. */
        UNSUPPORTED;

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Lower bound, and what the steady state promises.
     *
     * @param least lower bound on the copies
     * @param replicas copies that should do; the least where no number should
     * @param should whether they should
     * @param state state of each of those
     * @param ttftMs P99 of the time to the first token, about
     * @param tpotMs P99 of the time of an output token, about
     * @param spare how many times the load they should carry
     */
    record SizeEstimate(
            int least, int replicas, boolean should, State state, double ttftMs, double tpotMs, double spare) {}

    /**
     * What simulation says.
     *
     * @param replicas least copies that hold the service level; what was tried last where none does
     * @param result the simulation of those
     * @param maxLoad greatest load that satisfies the service level, in requests per second; 0 if it was not searched
     * @param isOpen whether the search ended there without meeting a limit
     * @param seedsWithOneLess seeds with which one copy fewer satisfies the service level; 0 if that was not simulated
     */
    record ConfirmedSize(int replicas, DeploymentResult result, double maxLoad, boolean isOpen, int seedsWithOneLess) {
        ConfirmedSize(int replicas, DeploymentResult result) {
            this(replicas, result, 0, false, 0);
        }

        /** How much more load is within the service level, as a share of the requested load. */
        double headroom(double load) {
            return Math.max(0, maxLoad / load - 1);
        }
    }

    DeploymentCandidate with(Status newStatus, String newReason) {
        return new DeploymentCandidate(deployment, replica, estimate, newStatus, newReason, confirmed);
    }

    DeploymentCandidate with(Status newStatus, String newReason, ConfirmedSize newConfirmed) {
        return new DeploymentCandidate(deployment, replica, estimate, newStatus, newReason, Optional.of(newConfirmed));
    }

    /** Copies, as far as they are known. */
    int replicas() {
        return confirmed
                .map(ConfirmedSize::replicas)
                .or(() -> estimate.map(SizeEstimate::replicas))
                .orElse(0);
    }

    int devices() {
        return replicas() * deployment.shape().devices();
    }

    /** Least devices that it could do with. */
    int minDevices() {
        return estimate.orElseThrow().least() * deployment.shape().devices();
    }

    boolean isFeasible() {
        return status == Status.WINNER || status == Status.FEASIBLE;
    }
}
