package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.SteadyStateModel.State;
import dev.stagesim.model.KeyNames;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.ReplicaModel;
import java.util.Optional;

/**
 * A deployment and its outcome in the search.
 *
 * @param replica the model on the devices of one copy; empty if it cannot run
 * @param estimate closed-form size; empty if a bound excludes the deployment
 * @param reason explanation of the status
 * @param confirmed result of the simulations; empty if the deployment was not simulated
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
        /** Meets the SLO in simulation, and no other deployment is cheaper. */
        WINNER("best"),
        /** Meets the SLO in simulation. */
        FEASIBLE("feasible"),
        /** Costs more than another deployment that meets the SLO. */
        MORE_EXPENSIVE("costs more"),
        /** Meets the SLO, but another deployment is better for the goal. */
        WORSE("worse for the goal"),
        /** Left out, because the closed form ranks simulated deployments at least as high. */
        NOT_SIMULATED("not simulated"),
        /** Misses the SLO with any number of copies. */
        SLO_MISSED("misses the SLO"),
        /** The maximum number of copies cannot serve the load. */
        OVERLOAD("cannot keep up with the load"),
        /** Does not fit in device memory. */
        OUT_OF_MEMORY("does not fit in memory"),
        /** Not supported by the model, the device or the engine. */
        UNSUPPORTED("not supported");

        private final String words;

        Status(String words) {
            this.words = words;
        }

        /** Returns the status in reports. */
        String words() {
            return words;
        }

        String id() {
            return KeyNames.constant(this);
        }
    }

    /**
     * Closed-form size of a deployment.
     *
     * @param minReplicas lower bound on the number of copies
     * @param replicas predicted number of copies; {@code minReplicas} if none is predicted to meet the SLO
     * @param meetsSlo whether {@code replicas} copies are predicted to meet the SLO
     * @param state steady state of one copy
     * @param ttftMs predicted P99 TTFT
     * @param tpotMs predicted P99 TPOT
     * @param loadRatio maximum load that the copies are predicted to carry, divided by the requested load
     */
    record SizeEstimate(
            int minReplicas,
            int replicas,
            boolean meetsSlo,
            State state,
            double ttftMs,
            double tpotMs,
            double loadRatio) {}

    /**
     * Size of a deployment by simulation.
     *
     * @param replicas minimum number of copies that meets the SLO; the last number tried if none does
     * @param result simulation of these copies
     * @param maxLoad maximum load that meets the SLO, in requests per second; 0 if it was not searched
     * @param isOpen whether the load search reached its cap without a violation
     * @param seedsWithOneLess number of seeds that meet the SLO with one copy fewer; 0 if not simulated
     */
    record ConfirmedSize(int replicas, DeploymentResult result, double maxLoad, boolean isOpen, int seedsWithOneLess) {
        ConfirmedSize(int replicas, DeploymentResult result) {
            this(replicas, result, 0, false, 0);
        }

        /** Returns the spare load as a share of the requested load. */
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

    /** Returns the number of copies by simulation, otherwise by the closed form; 0 if neither exists. */
    int replicas() {
        return confirmed
                .map(ConfirmedSize::replicas)
                .or(() -> estimate.map(SizeEstimate::replicas))
                .orElse(0);
    }

    int devices() {
        return replicas() * deployment.shape().devices();
    }

    /** Returns the simulated load in requests per second; {@code requested} if it was not simulated. */
    double load(double requested) {
        return confirmed.map(size -> size.result().load()).orElse(requested);
    }

    /** Returns the lower bound on the number of devices. */
    int minDevices() {
        return estimate.orElseThrow().minReplicas() * deployment.shape().devices();
    }

    boolean isFeasible() {
        return status == Status.WINNER || status == Status.FEASIBLE;
    }
}
