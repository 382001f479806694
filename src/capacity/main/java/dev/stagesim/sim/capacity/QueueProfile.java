package dev.stagesim.sim.capacity;

import java.util.Locale;

/** How requests come in during a phase: load relative to capacity, and coefficient of variation of gaps and service. */
public enum QueueProfile {
    STEADY_STATE(0.7, 1.0), // Requests that do not depend on each other.
    PEAK(0.85, 1.1), // A little bursty.
    SPIKE(1.15, 1.3), // Bursty, and more than capacity.
    LOW(0.4, 0.8); // Even.

    private final double load;
    private final double variation;

    QueueProfile(double load, double variation) {
        this.load = load;
        this.variation = variation;
    }

    /** The profile of a name in any case; steady for one that is unknown. */
    public static QueueProfile of(String name) {
        for (QueueProfile profile : values()) {
            if (profile.name().equals(name.toUpperCase(Locale.ROOT))) {
                return profile;
            }
        }
        return STEADY_STATE;
    }

    /** Arrival rate as a share of capacity. */
    public double load() {
        return load;
    }

    public double variation() {
        return variation;
    }
}
