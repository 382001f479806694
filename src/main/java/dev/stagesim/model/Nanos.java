package dev.stagesim.model;

/** Nanoseconds in the units that people read. */
public final class Nanos {
    public static final double NS_PER_US = 1e3;
    public static final double NS_PER_MS = 1e6;
    public static final double NS_PER_S = 1e9;

    private Nanos() {}
}
