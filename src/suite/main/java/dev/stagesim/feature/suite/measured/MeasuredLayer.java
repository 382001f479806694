package dev.stagesim.feature.suite.measured;

/**
 * A layer in one direction: measured time and predictions without a fit, in nanoseconds.
 *
 * @param name number and name of the layer
 * @param direction forward, backward or update
 * @param type operator class with the largest predicted time
 * @param measured total time of its operations in a step
 * @param roofline lower bound at the rates that a probe of the machine reached
 * @param systolic time of its products on an array, 0 if there are none
 */
public record MeasuredLayer(
        String name, String direction, String type, double measured, double roofline, double systolic) {
    /** Name and direction, unique within a workload. */
    public String place() {
        return name + " " + direction;
    }
}
