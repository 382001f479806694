package dev.stagesim.model;

/** Formats nanoseconds in readable units. */
public final class Nanos {
    public static final double NS_PER_US = 1e3;
    public static final double NS_PER_MS = 1e6;
    public static final double NS_PER_S = 1e9;

    private Nanos() {}
}
