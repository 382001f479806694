package dev.stagesim.stage;

/**
 * Upper estimate of the cost of a run from its inputs; 0 for unknown values.
 *
 * @param events number of simulation events
 * @param counted name of the events, in the plural
 * @param seconds CPU time of a typical machine, accurate to a factor of about three
 * @param memoryBytes peak memory
 * @param diskBytes size of the artifacts
 */
public record Estimate(double events, String counted, double seconds, double memoryBytes, double diskBytes) {
    public Estimate {
        if (!(events >= 0 && seconds >= 0 && memoryBytes >= 0 && diskBytes >= 0)) {
            throw new IllegalArgumentException(
                    "events " + events + ", s " + seconds + ", memory " + memoryBytes + ", disk " + diskBytes);
        }
    }
}
