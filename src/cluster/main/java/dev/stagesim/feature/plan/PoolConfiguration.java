package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.PoolSimulator.Pool;
import dev.stagesim.serving.PoolSimulator.Router;
import java.util.List;
import java.util.Optional;

/**
 * Copies with a router, or a prefill pool and a decode pool with a router.
 *
 * @param prompts prefill pool, or the copies that serve whole requests if {@code outputs} is empty
 * @param result simulation of the configuration
 * @param loads simulations at all loads, in ascending order
 */
record PoolConfiguration(
        Pool prompts, Optional<Pool> outputs, Router router, DeploymentResult result, List<DeploymentResult> loads) {
    PoolConfiguration(Pool prompts, Optional<Pool> outputs, Router router, DeploymentResult result) {
        this(prompts, outputs, router, result, List.of(result));
    }

    /** Returns the maximum simulated load that meets the SLO. */
    double maxLoad() {
        return loads.stream()
                .filter(DeploymentResult::meetsSlo)
                .mapToDouble(DeploymentResult::load)
                .max()
                .orElse(0);
    }

    int devices() {
        return prompts.devices() + outputs.map(Pool::devices).orElse(0);
    }

    boolean meetsSlo() {
        return result.meetsSlo();
    }

    /** Returns the name of the router in tables. */
    String routerId() {
        return KeyNames.constant(router);
    }

    /** Describes the pools, for example "2 × (vLLM, ...) for prefill and 3 × (...) for decode behind prefix". */
    String words() {
        return outputs.map(pool -> words(prompts) + " for prefill and " + words(pool) + " for decode")
                        .orElseGet(() -> words(prompts))
                + " behind " + routerId();
    }

    private static String words(Pool pool) {
        Shape shape = pool.deployment().shape();
        HardwareCard hardware = pool.replica().hardware();
        return pool.copies() + " × (" + shape.engineName() + ", " + shape.words() + " on " + shape.devices() + " × "
                + hardware.name() + ")";
    }
}
