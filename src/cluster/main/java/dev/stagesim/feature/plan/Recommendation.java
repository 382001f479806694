package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.DeploymentCandidate.ConfirmedSize;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.PoolSimulator.Pool;
import dev.stagesim.serving.ReplicaModel;
import java.util.List;
import java.util.Optional;

/**
 * The deployment that a plan recommends: copies with a round-robin router, or the pools and routers that are cheaper.
 *
 * @param shape the shape of the copies, or of the prefill pool
 * @param replica the model on the devices of one copy, or of one decode instance
 * @param result simulation at the load of the plan
 * @param maxLoad maximum load that meets the SLO; 0 if it was not searched
 * @param isOpen whether the load search reached its cap without a violation
 * @param loads simulations at all loads, in ascending order
 */
record Recommendation(
        Shape shape,
        ReplicaModel replica,
        int devices,
        Optional<Double> usdPerMonth,
        DeploymentResult result,
        double maxLoad,
        boolean isOpen,
        List<DeploymentResult> loads) {
    /** Returns the deployment of the answer; empty if none meets the SLO. */
    static Optional<Recommendation> of(ServingPlan plan) {
        return plan.arePoolsCheaper()
                ? plan.bestPools().map(best -> of(plan, best))
                : plan.winner().map(best -> of(plan, best));
    }

    static Recommendation of(ServingPlan plan, DeploymentCandidate winner) {
        ConfirmedSize size = winner.confirmed().orElseThrow();
        return new Recommendation(
                winner.deployment().shape(),
                winner.replica().orElseThrow(),
                winner.devices(),
                plan.usdPerMonth(winner.devices()),
                size.result(),
                size.maxLoad(),
                size.isOpen(),
                plan.simulations().loads(winner.deployment(), winner.replicas()));
    }

    private static Recommendation of(ServingPlan plan, PoolConfiguration pools) {
        return new Recommendation(
                pools.prompts().deployment().shape(),
                pools.outputs().map(Pool::replica).orElse(pools.prompts().replica()),
                pools.devices(),
                plan.usdPerMonth(pools),
                pools.result(),
                pools.maxLoad(),
                pools.loads().stream().allMatch(DeploymentResult::meetsSlo),
                pools.loads());
    }

    /** Returns the spare load as a share of the requested load. */
    double headroom(double load) {
        return Math.max(0, maxLoad / load - 1);
    }

    /** Returns the simulation at the lowest load above the maximum load. */
    Optional<DeploymentResult> firstAbove() {
        return loads.stream().filter(result -> result.load() > maxLoad).findFirst();
    }
}
