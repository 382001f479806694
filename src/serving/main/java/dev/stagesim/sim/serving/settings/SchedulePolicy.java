package dev.stagesim.sim.serving.settings;

/** The sort criterion of SGLang's waiting queue. */
public enum SchedulePolicy {
    /** First come, first served. */
    FCFS,
    /** Longest cached prefix first. */
    LPM,
    /** By branches of the cache, the branch with the most requests first. */
    DFS_WEIGHT,
    /**
     * Highest response ratio next: prompt tokens that the engine computed since the request arrived, divided by the
     * prompt tokens that the request needs.
     */
    HRRN,
    /** Fewest prompt tokens to compute first. */
    SHORTEST_PREFILL_FIRST,
    /** Longest output first. */
    LOF,
    /** Routing keys with the most running requests first. */
    ROUTING_KEY,
    /** A new random order every time. */
    RANDOM;

    /** Returns true if it reads the cache. */
    public boolean readsCache() {
        return switch (this) {
            case LPM, DFS_WEIGHT, HRRN, SHORTEST_PREFILL_FIRST -> true;
            default -> false;
        };
    }

    /** Returns true if it falls back to arrival order if too many requests wait. */
    public boolean isShort() {
        return this == LPM || this == HRRN;
    }
}
