package dev.stagesim.stage.vidursim;

/** Conversion of the simulator's seconds to the artifacts' integer nanoseconds. */
final class Nanos {
    private static final double PER_SECOND = 1e9;

    private Nanos() {}

    /**
     * The nearest nanosecond, rounded half up. A time that came from integer nanoseconds below 2^51 (26 days) is restored
     * exactly.
     */
    static long of(double seconds) {
        return Math.round(seconds * PER_SECOND);
    }
}
