package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;

/** The bound on simulated time: tables hold integer nanoseconds in 64 bits. */
public final class SimulatedTime {
    /** Maximum simulated time, in seconds. */
    public static final double MAX_SECONDS = Long.MAX_VALUE / 1e9;

    private SimulatedTime() {}

    /** Returns whether tables can hold a time in seconds; false if it is not a number. */
    public static boolean isRepresentable(double seconds) {
        return seconds <= MAX_SECONDS;
    }

    /** Returns the problem of a run that takes longer than the maximum. */
    public static Problem tooLong() {
        return Problem.of(
                        "workload error",
                        "simulated time",
                        "exceeds " + Math.round(MAX_SECONDS)
                                + " s (290 years), which tables of nanoseconds cannot hold")
                .hint("check the rates and bandwidths of the hardware card and of links, or take fewer requests");
    }
}
