package dev.stagesim.feature.suite.measured;

/**
 * A layer in one direction, measured and predicted without any fit; times in nanoseconds.
 *
 * @param name layer: its number and its name
 * @param direction forward, backward or update
 * @param type kind of operator with most of the predicted time
 * @param measured sum of its operations in a step
 * @param roofline least time at the rates that a probe of the machine reached
 * @param systolic time of its products on an array, 0 where nothing is multiplied
 */
public record MeasuredLayer(
        String name, String direction, String type, double measured, double roofline, double systolic) {
    /** Name and direction, which are unique within a workload. */
    public String place() {
        return name + " " + direction;
    }
}
