package dev.stagesim.predict.forest;

/** A seeded stream of uniform integers, equal to numpy's legacy generator. Not thread-safe. */
@FunctionalInterface
public interface Draws {
    /** Next integer in [0, {@code max}]; consumes nothing if {@code max} is 0. */
    int upTo(int max);

    /** Creates streams; equal seeds create equal streams. Thread-safe. */
    @FunctionalInterface
    interface Source {
        /** A stream from its beginning; {@code seed} is in [0, 2^32). */
        Draws seeded(long seed);
    }
}
