package dev.stagesim.stage;

/**
 * What a run is expected to take, at most, as far as its inputs tell before it begins; 0 for what they do not.
 *
 * @param events steps of the simulation, in what is counted
 * @param counted what an event is, in the plural
 * @param seconds processor time of a usual machine, good to a factor of a few
 * @param memoryBytes memory at its greatest
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
