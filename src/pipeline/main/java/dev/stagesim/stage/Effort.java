package dev.stagesim.stage;

/**
 * Estimated effort of a run, for launchers; it has no influence on results.
 *
 * @param work effort relative to other runs of the stage, above 0, such as the number of requests
 * @param bytes peak memory
 */
public record Effort(double work, long bytes) {
    /** Effort of a stage without an estimate: one unit, and the memory of a small run. */
    public static final Effort UNKNOWN = new Effort(1, 64L << 20);

    public Effort {
        if (!(work > 0) || bytes < 0) {
            throw new IllegalArgumentException("work " + work + ", bytes " + bytes);
        }
    }
}
