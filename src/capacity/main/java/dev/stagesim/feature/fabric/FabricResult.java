package dev.stagesim.feature.fabric;

import dev.stagesim.feature.fabric.performance.CoefficientFit;
import dev.stagesim.feature.fabric.performance.StatedRun;
import dev.stagesim.io.fabric.CatalogEntry;
import java.util.List;
import java.util.Optional;

/**
 * Result of a run.
 *
 * @param plans plans of all targets; the requested target is first
 * @param violations SLO violations of each plan
 * @param stated simulation of the copies that the entry states, if any
 * @param fit coefficients fitted to measured runs
 * @param candidates evaluated candidates; empty without a search
 * @param winner cheapest candidate that meets the SLO
 * @param assumptions assumptions as sentences
 */
record FabricResult(
        CatalogEntry entry,
        boolean best,
        List<FabricPlan> plans,
        List<List<String>> violations,
        Optional<StatedRun> stated,
        Optional<CoefficientFit> fit,
        List<FabricCandidate> candidates,
        Optional<FabricCandidate> winner,
        List<String> assumptions) {
    FabricResult {
        plans = List.copyOf(plans);
        violations = List.copyOf(violations);
        candidates = List.copyOf(candidates);
        assumptions = List.copyOf(assumptions);
    }

    FabricPlan requested() {
        return plans.get(0);
    }
}
