package dev.stagesim.sim.trace.inspect;

import java.util.ArrayList;
import java.util.List;

/** Findings of one rule in one file, of which only the first are kept. */
final class Findings {
    private final Finding.Rule rule;
    private final String where;
    private final int most;
    private final List<Finding> kept = new ArrayList<>();
    private long count;

    Findings(Finding.Rule rule, String where, int most) {
        this.rule = rule;
        this.where = where;
        this.most = most;
    }

    void add(String what) {
        count++;
        if (kept.size() < most) {
            kept.add(new Finding(rule, where, what));
        }
    }

    /** The findings, and how many more there are. */
    void addTo(List<Finding> all) {
        all.addAll(kept);
        if (count > kept.size()) {
            all.add(new Finding(rule, where, "and " + (count - kept.size()) + " more"));
        }
    }
}
