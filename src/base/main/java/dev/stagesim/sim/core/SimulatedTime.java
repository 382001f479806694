package dev.stagesim.sim.core;

import dev.stagesim.model.Problem;

/** The maximum simulated time: tables contain integer nanoseconds in 64 bits. */
public final class SimulatedTime {
    /** Maximum simulated time, in seconds. */
    public static final double MAX_SECONDS = Long.MAX_VALUE / 1e9;

    private SimulatedTime() {}

    /** Returns true if tables can represent a time in seconds; false for NaN. */
    public static boolean isRepresentable(double seconds) {
        return seconds <= MAX_SECONDS;
    }

    /** Returns the problem of a run that takes longer than the maximum. */
    public static Problem tooLong() {
        return Problem.of(
                        "workload error",
                        "simulated time",
                        "exceeds " + Math.round(MAX_SECONDS)
                                + " s (290 years), which tables of nanoseconds cannot represent")
                .hint("check the rates and bandwidths of the hardware card and of links, or simulate fewer requests");
    }
}
