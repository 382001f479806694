package dev.stagesim.sim.core;

/** Seeded source of uniform numbers; the same seed gives the same sequence on every machine. Not thread-safe. */
public interface RandomSource {
    /** Next double in [0, 1), a multiple of 2^-53. */
    double nextDouble();

    /**
     * Next integer in [0, bound), all equally likely.
     *
     * @throws IllegalArgumentException if {@code bound} is less than 1
     */
    long below(long bound);
}
