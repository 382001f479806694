package dev.stagesim.feature.fabric;

import dev.stagesim.feature.fabric.performance.CoefficientFit;
import dev.stagesim.feature.fabric.performance.StatedRun;
import dev.stagesim.io.fabric.CatalogEntry;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a run found.
 *
 * @param plans what each target takes; the target asked about first
 * @param broken limits of the slo that each of them breaks
 * @param stated the workload on the copies that its entry names, where it was simulated
 * @param fit coefficients fitted to measured runs
 * @param candidates what the optimiser tried; none when it was not asked
 * @param winner the cheapest candidate that holds the slo
 * @param assumptions what the figures rest on
 */
record FabricResult(
        CatalogEntry entry,
        boolean best,
        List<FabricPlan> plans,
        List<List<String>> broken,
        Optional<StatedRun> stated,
        Optional<CoefficientFit> fit,
        List<FabricCandidate> candidates,
        Optional<FabricCandidate> winner,
        List<String> assumptions) {
    FabricResult {
        plans = List.copyOf(plans);
        broken = List.copyOf(broken);
        candidates = List.copyOf(candidates);
        assumptions = List.copyOf(assumptions);
    }

    FabricPlan asked() {
        return plans.get(0);
    }

    /** Names of targets for people. */
    static Map<FabricCandidate.Status, String> statusLabels() {
        return Map.of(
                FabricCandidate.Status.FRONT, "on the front",
                FabricCandidate.Status.DOMINATED, "another is better",
                FabricCandidate.Status.SLO, "breaks the slo",
                FabricCandidate.Status.SATURATED, "too few nodes",
                FabricCandidate.Status.INFEASIBLE, "cannot run");
    }
}
