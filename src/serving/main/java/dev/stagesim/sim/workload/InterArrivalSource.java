package dev.stagesim.sim.workload;

/** Source of inter-arrival times. The first gap is the time of the first arrival. */
public interface InterArrivalSource {
    /** True if there is another gap; most sources are infinite. */
    default boolean hasNext() {
        return true;
    }

    /** The next gap in seconds, at least 0. */
    double next();

    /** True if every gap is zero from now on, so that a time limit is never reached. */
    default boolean standsStill() {
        return false;
    }
}
