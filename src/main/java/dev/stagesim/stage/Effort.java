package dev.stagesim.stage;

/**
 * What a run is expected to take, for launchers to plan with; it never shapes a result.
 *
 * @param work relative to other runs of the same stage, above 0; such as the number of requests
 * @param bytes memory that the run holds at its greatest
 */
public record Effort(double work, long bytes) {
    /** Of a stage that cannot tell: one unit, and the memory of a small run. */
    public static final Effort UNKNOWN = new Effort(1, 64L << 20);

    public Effort {
        if (!(work > 0) || bytes < 0) {
            throw new IllegalArgumentException("work " + work + ", bytes " + bytes);
        }
    }
}
