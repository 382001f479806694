package dev.stagesim.feature.plan;

import dev.stagesim.feature.EngineChoice.Shape;
import dev.stagesim.feature.PoolSimulator.Pool;
import dev.stagesim.feature.PoolSimulator.Router;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.model.HardwareCard;
import java.util.Locale;
import java.util.Optional;

/**
 * Copies behind a router, or pools for prompts and for outputs behind one.
 *
 * @param prompts copies of both kinds of work where there is no pool for outputs
 * @param result the simulation of it
 */
record PoolConfiguration(Pool prompts, Optional<Pool> outputs, Router router, DeploymentResult result) {
    int devices() {
        return prompts.devices() + outputs.map(Pool::devices).orElse(0);
    }

    boolean meetsSlo() {
        return result.meetsSlo();
    }

    /** For people: prefix. */
    String routerId() {
        return router.name().toLowerCase(Locale.ROOT);
    }

    /** For people: 2 × tp 4 ... for prefill and 3 × ... for decode behind prefix. */
    String words() {
        return outputs.map(pool -> words(prompts) + " for prefill and " + words(pool) + " for decode")
                        .orElseGet(() -> words(prompts))
                + " behind " + routerId();
    }

    private static String words(Pool pool) {
        Shape shape = pool.deployment().shape();
        HardwareCard hardware = pool.replica().hardware();
        return pool.copies() + " × (" + shape.words() + " on " + shape.devices() + " × " + hardware.name() + ")";
    }
}
