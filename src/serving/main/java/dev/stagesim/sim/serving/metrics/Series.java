package dev.stagesim.sim.serving.metrics;

/**
 * Minimum, maximum and mean of a value that is constant between samples.
 *
 * <p>Starts at (0 s, 0).
 */
public final class Series {
    private final boolean skipsStart;
    private double lastTime;
    private double lastValue;
    private double min;
    private double max;
    private double sum;
    private long samples = 1;
    private double weightedSum;
    private double duration;

    /** @param skipsStart whether the weighted mean omits segments that start at exactly 0 s, as in the reference */
    public Series(boolean skipsStart) {
        this.skipsStart = skipsStart;
    }

    public void add(double time, double value) {
        if (!skipsStart || lastTime != 0) {
            double length = time - lastTime;
            weightedSum += lastValue * length;
            duration += length;
        }
        lastTime = time;
        lastValue = value;
        min = Math.min(min, value);
        max = Math.max(max, value);
        sum += value;
        samples++;
    }

    double min() {
        return min;
    }

    public double max() {
        return max;
    }

    /** Returns the unweighted mean of the samples. */
    public double plainMean() {
        return sum / samples;
    }

    /** Returns the time-weighted mean up to the last sample, or NaN if no time passed. */
    public double weightedMean() {
        return duration == 0 ? Double.NaN : weightedSum / duration;
    }
}
