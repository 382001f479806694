package dev.stagesim.sim.core;

/** A seeded source of uniform numbers; the same seed gives the same sequence on every machine. Not thread-safe. */
public interface RandomSource {
    /** Returns the next double in [0, 1), a multiple of 2^-53. */
    double nextDouble();

    /**
     * Returns the next integer in [0, bound), all equally likely.
     *
     * @throws IllegalArgumentException if {@code bound} is less than 1
     */
    long below(long bound);
}
