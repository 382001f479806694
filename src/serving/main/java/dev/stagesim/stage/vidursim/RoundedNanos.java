package dev.stagesim.stage.vidursim;

/** Conversion of the simulator's seconds to the artifacts' integer nanoseconds. */
final class RoundedNanos {
    private static final double PER_SECOND = 1e9;

    private RoundedNanos() {}

    /** Returns the nearest nanosecond, rounded half up. It restores integer nanoseconds below 2^51 (26 days) exactly. */
    static long of(double seconds) {
        return Math.round(seconds * PER_SECOND);
    }
}
