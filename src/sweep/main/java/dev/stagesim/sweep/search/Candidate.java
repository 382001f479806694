package dev.stagesim.sweep.search;

import dev.stagesim.pipeline.request.RunRequest;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A combination of swept values in a search.
 *
 * @param num its number, from 0
 * @param request its configuration; empty if it was rejected
 * @param known metrics that need no simulation
 * @param refused reason why it cannot run; empty if it can
 */
public record Candidate(
        int num,
        List<String> overrides,
        Optional<RunRequest> request,
        SortedMap<String, Double> known,
        Optional<String> refused) {
    public Candidate {
        overrides = List.copyOf(overrides);
        known = Collections.unmodifiableSortedMap(new TreeMap<>(known));
    }

    /** Returns a metric that needs no simulation, or NaN. */
    double figure(String name) {
        return known.getOrDefault(name, Double.NaN);
    }
}
