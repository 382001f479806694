package dev.stagesim.sim.capacity;

/**
 * The results of the semi-empirical model for one job on one set of nodes. Latencies are 0 in training, the step time is 0
 * in inference.
 */
public record CapacityFigures(
        double tokensPerSecond,
        double flopUtilization,
        double memoryUtilization,
        double commComputeRatio,
        double stepMs,
        double p50Ms,
        double p95Ms,
        double p99Ms,
        double ttftMs,
        double peakMemoryGb,
        double nodeWatts,
        int retries) {
    /** Returns a copy with the throughput, the step time and the power of a phase of a schedule. */
    public CapacityFigures scaled(double tokensScale, double autoscale) {
        double scale = tokensScale * autoscale;
        if (scale == 1.0) {
            return this;
        }
        return new CapacityFigures(
                Math.max(1.0, tokensPerSecond * scale),
                flopUtilization,
                memoryUtilization,
                commComputeRatio,
                stepMs == 0 ? stepMs : stepMs / Math.max(scale, 1e-6),
                p50Ms,
                p95Ms,
                p99Ms,
                ttftMs,
                peakMemoryGb,
                nodeWatts * autoscale,
                retries);
    }
}
