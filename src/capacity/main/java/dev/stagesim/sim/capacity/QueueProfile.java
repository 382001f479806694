package dev.stagesim.sim.capacity;

import java.util.Locale;

/** The arrivals of a phase: load relative to capacity, and coefficient of variation of interarrival and service times. */
public enum QueueProfile {
    STEADY_STATE(0.7, 1.0), // independent requests
    PEAK(0.85, 1.1), // slightly bursty
    SPIKE(1.15, 1.3), // bursty and above capacity
    LOW(0.4, 0.8); // smooth

    private final double load;
    private final double variation;

    QueueProfile(double load, double variation) {
        this.load = load;
        this.variation = variation;
    }

    /** Returns the profile with a name, ignoring case, or the steady one if the name is unknown. */
    public static QueueProfile of(String name) {
        for (QueueProfile profile : values()) {
            if (profile.name().equals(name.toUpperCase(Locale.ROOT))) {
                return profile;
            }
        }
        return STEADY_STATE;
    }

    /** Returns the arrival rate as a share of capacity. */
    public double load() {
        return load;
    }

    public double variation() {
        return variation;
    }
}
