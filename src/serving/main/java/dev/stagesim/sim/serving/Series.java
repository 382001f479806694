package dev.stagesim.sim.serving;

/**
 * Least, greatest and mean of a value that holds from one sample to the next.
 *
 * <p>Starts at (0 s, 0).
 */
public final class Series {
    private final boolean skipsStart;
    private double lastTime;
    private double lastValue;
    private double least;
    private double greatest;
    private double sum;
    private long samples = 1;
    private double weightedSum;
    private double duration;

    /** @param skipsStart true to leave segments that begin at exactly 0 s out of the weighted mean, as the reference does */
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
        least = Math.min(least, value);
        greatest = Math.max(greatest, value);
        sum += value;
        samples++;
    }

    public double least() {
        return least;
    }

    public double greatest() {
        return greatest;
    }

    /** Mean of the samples, however long each held. */
    public double plainMean() {
        return sum / samples;
    }

    /** Mean over time up to the last sample; NaN when no time passed. */
    public double weightedMean() {
        return duration == 0 ? Double.NaN : weightedSum / duration;
    }
}
