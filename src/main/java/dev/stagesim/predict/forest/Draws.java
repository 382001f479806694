package dev.stagesim.predict.forest;

/** A seeded stream of uniform integers, drawn the way numpy's legacy generator draws them. Not thread-safe. */
@FunctionalInterface
public interface Draws {
    /** Next integer in [0, {@code most}]; nothing is consumed when {@code most} is 0. */
    int upTo(int most);

    /** Makes streams; the same seed always makes the same stream. Thread-safe. */
    @FunctionalInterface
    interface Source {
        /** A stream from its beginning; {@code seed} is in [0, 2^32). */
        Draws seeded(long seed);
    }
}
