package dev.stagesim.feature.suite.graph;

/**
 * What a device can do at most.
 *
 * @param flopsPerNs operations per nanosecond
 * @param bytesPerNs bytes to and from memory per nanosecond
 */
public record PeakRates(double flopsPerNs, double bytesPerNs) {
    /** Least time of an operator in nanoseconds: arithmetic and memory overlap, and whichever is slower decides. */
    public double nanos(SuiteOperator operator) {
        double flops = (double) operator.flops() + operator.elementwiseFlops();
        return Math.max(flops / flopsPerNs, operator.bytes() / bytesPerNs);
    }
}
