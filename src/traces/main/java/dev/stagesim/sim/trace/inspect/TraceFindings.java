package dev.stagesim.sim.trace.inspect;

import java.util.ArrayList;
import java.util.List;

/** Collects the findings of one rule in one file; keeps the first ones and counts the rest. */
final class TraceFindings {
    private final TraceFinding.Rule rule;
    private final String where;
    private final int maxFindings;
    private final List<TraceFinding> kept = new ArrayList<>();
    private long count;

    TraceFindings(TraceFinding.Rule rule, String where, int maxFindings) {
        this.rule = rule;
        this.where = where;
        this.maxFindings = maxFindings;
    }

    void add(String what) {
        count++;
        if (kept.size() < maxFindings) {
            kept.add(new TraceFinding(rule, where, what));
        }
    }

    /** Adds the findings, and the number of further ones, to {@code all}. */
    void addTo(List<TraceFinding> all) {
        all.addAll(kept);
        if (count > kept.size()) {
            all.add(new TraceFinding(rule, where, "and " + (count - kept.size()) + " more"));
        }
    }
}
