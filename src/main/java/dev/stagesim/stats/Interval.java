package dev.stagesim.stats;

/** A confidence interval, both ends included. */
public record Interval(double low, double high) {
    public boolean contains(double value) {
        return low <= value && value <= high;
    }
}
