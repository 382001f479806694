package dev.stagesim.feature.fabric;

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
record Result(
        CatalogEntry entry,
        boolean best,
        List<Plan> plans,
        List<List<String>> broken,
        Optional<StatedRun> stated,
        Optional<Fit> fit,
        List<Candidate> candidates,
        Optional<Candidate> winner,
        List<String> assumptions) {
    Result {
        plans = List.copyOf(plans);
        broken = List.copyOf(broken);
        candidates = List.copyOf(candidates);
        assumptions = List.copyOf(assumptions);
    }

    Plan asked() {
        return plans.get(0);
    }

    /** Names of targets for people. */
    static Map<Candidate.Fate, String> fates() {
        return Map.of(
                Candidate.Fate.FRONT, "on the front",
                Candidate.Fate.DOMINATED, "another is better",
                Candidate.Fate.SLO, "breaks the slo",
                Candidate.Fate.SATURATED, "too few nodes",
                Candidate.Fate.INFEASIBLE, "cannot run");
    }
}
