package dev.stagesim.io.bundle;

/** Statistics over the repetitions of one measurement, in milliseconds. */
public record Stats(double min, double max, double mean, double median, double std) {
    /** Statistics of an operation that takes no time. */
    public static final Stats NONE = exact(0);

    /** Returns the statistics of a computed time, which does not vary. */
    public static Stats exact(double ms) {
        return new Stats(ms, ms, ms, ms, 0);
    }
}
