package dev.stagesim.sim.systolic;

import java.util.Optional;
import java.util.TreeMap;

/** Tells when a walk over a repeating pattern comes back to a state that it was in before. */
final class Recurrence {
    private static final int MOST = 1 << 14;

    /**
     * Where a state was met.
     *
     * @param index period of the pattern
     * @param misses words fetched until then
     */
    record Visit(long index, long misses) {}

    private final TreeMap<Long, Visit> visits = new TreeMap<>();

    void clear() {
        visits.clear();
    }

    /** Notes a state; answers where it was met before. */
    Optional<Visit> visit(long state, Visit visit) {
        if (visits.size() >= MOST) {
            visits.clear();
        }
        return Optional.ofNullable(visits.putIfAbsent(state, visit));
    }
}
