package dev.stagesim.sim.systolic;

import java.util.Optional;
import java.util.TreeMap;

/** Detects that a walk over a periodic pattern has returned to an earlier state. */
final class Recurrence {
    private static final int MAX_STATES = 1 << 14;

    /**
     * First visit of a state.
     *
     * @param index period of the pattern
     * @param misses words fetched before the visit
     */
    record Visit(long index, long misses) {}

    private final TreeMap<Long, Visit> visits = new TreeMap<>();

    void clear() {
        visits.clear();
    }

    /** Records a state; returns the earlier visit, if any. */
    Optional<Visit> visit(long state, Visit visit) {
        if (visits.size() >= MAX_STATES) {
            visits.clear();
        }
        return Optional.ofNullable(visits.putIfAbsent(state, visit));
    }
}
