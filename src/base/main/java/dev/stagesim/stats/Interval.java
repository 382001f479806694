package dev.stagesim.stats;

/** An interval with inclusive bounds. */
public record Interval(double low, double high) {
    public double middle() {
        return (low + high) / 2;
    }
}
