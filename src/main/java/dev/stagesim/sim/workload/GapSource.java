package dev.stagesim.sim.workload;

/** Source of the times between arrivals; the first gap is the time of the first arrival. */
public interface GapSource {
    /** Whether there is another gap; most sources never end. */
    default boolean hasNext() {
        return true;
    }

    /** The next gap in seconds, never negative. */
    double next();

    /** True when every gap is zero for ever, so that no time limit is ever reached. */
    default boolean standsStill() {
        return false;
    }
}
