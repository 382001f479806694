package dev.stagesim.feature.suite.graph;

/**
 * Peak rates of a device.
 *
 * @param flopsPerNs operations per nanosecond
 * @param bytesPerNs memory traffic in bytes per nanosecond
 */
public record PeakRates(double flopsPerNs, double bytesPerNs) {
    /**
     * Roofline time of an operator in nanoseconds: arithmetic and memory overlap, so the slower one determines the
     * time.
     */
    public double nanos(SuiteOperator operator) {
        double flops = (double) operator.flops() + operator.elementwiseFlops();
        return Math.max(flops / flopsPerNs, operator.bytes() / bytesPerNs);
    }
}
