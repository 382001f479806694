package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.DeploymentCandidate.ConfirmedSize;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.deploy.EngineLaunch.Role;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.PoolSimulator.Pool;
import dev.stagesim.serving.ReplicaModel;
import java.util.List;
import java.util.Optional;

/**
 * The deployment that a plan recommends: copies with a round-robin router, or the pools and routers that are cheaper.
 *
 * @param pools the pools; empty if copies are recommended
 * @param parts the copies, or the prefill and the decode pool
 * @param words description of the parts
 * @param replica the model on the devices of one copy, or of one decode instance
 * @param result simulation at the load of the plan
 * @param maxLoad maximum load that meets the SLO; 0 if it was not searched
 * @param isOpen whether the load search reached its cap without a violation
 * @param loads simulations at all loads, in ascending order
 */
record Recommendation(
        Optional<PoolConfiguration> pools,
        List<Part> parts,
        String words,
        ReplicaModel replica,
        int devices,
        DeploymentResult result,
        double maxLoad,
        boolean isOpen,
        List<DeploymentResult> loads) {
    /** Copies of an engine with a role. */
    record Part(Role role, EngineChoice deployment, int copies) {
        private Part(Role role, Pool pool) {
            this(role, pool.deployment(), pool.copies());
        }
    }

    /** Returns the cheapest deployment; empty if none meets the SLO. */
    static Optional<Recommendation> of(
            PlanSettings settings,
            SimulationCache simulations,
            Optional<DeploymentCandidate> winner,
            Optional<PoolConfiguration> pools) {
        return pools.filter(best -> ServingPlan.areCheaper(settings, best, winner))
                .map(Recommendation::of)
                .or(() -> winner.map(best -> of(simulations, best)));
    }

    static Recommendation of(SimulationCache simulations, DeploymentCandidate winner) {
        ConfirmedSize size = winner.confirmed().orElseThrow();
        return new Recommendation(
                Optional.empty(),
                List.of(new Part(Role.WHOLE, winner.deployment(), winner.replicas())),
                PlanAnswer.copies(winner.replicas(), winner.deployment().shape().words()),
                winner.replica().orElseThrow(),
                winner.devices(),
                size.result(),
                size.maxLoad(),
                size.isOpen(),
                simulations.loads(winner.deployment(), winner.replicas()));
    }

    private static Recommendation of(PoolConfiguration pools) {
        return new Recommendation(
                Optional.of(pools),
                pools.outputs()
                        .map(outputs ->
                                List.of(new Part(Role.PREFILL, pools.prompts()), new Part(Role.DECODE, outputs)))
                        .orElseGet(() -> List.of(new Part(Role.WHOLE, pools.prompts()))),
                pools.words(),
                pools.outputs().map(Pool::replica).orElse(pools.prompts().replica()),
                pools.devices(),
                pools.result(),
                pools.maxLoad(),
                pools.loads().stream().allMatch(DeploymentResult::meetsSlo),
                pools.loads());
    }

    /** Returns the shape of the copies, or of the prefill pool. */
    Shape shape() {
        return parts.get(0).deployment().shape();
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
