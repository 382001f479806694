package dev.stagesim.sweep.search;

import dev.stagesim.pipeline.RunRequest;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A combination of swept values that a search looks at.
 *
 * @param num its number, from 0
 * @param request its configuration; empty when it is refused
 * @param known figures that need no simulation
 * @param refused why it cannot be run; empty when it can
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

    /** A figure that is known before any simulation; NaN when it is not. */
    double figure(String name) {
        return known.getOrDefault(name, Double.NaN);
    }
}
