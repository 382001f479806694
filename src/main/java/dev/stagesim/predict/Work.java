package dev.stagesim.predict;

/**
 * What an operator asks of a device.
 *
 * @param flops floating-point operations
 * @param bytes bytes moved between the device and its memory
 * @param kernels kernels launched
 */
record Work(double flops, double bytes, int kernels) {
    /** Nothing to do. */
    static final Work NONE = new Work(0, 0, 0);

    /** A product of an {@code m x k} by a {@code k x n} matrix of 16-bit values. */
    static Work matmul(double m, double n, double k) {
        return new Work(2 * m * n * k, Roofline.VALUE_BYTES * (m * k + k * n + m * n), 1);
    }

    /** A kernel that only moves 16-bit values. */
    static Work moving(double values) {
        return new Work(0, Roofline.VALUE_BYTES * values, 1);
    }

    Work plus(Work other) {
        return new Work(flops + other.flops, bytes + other.bytes, kernels + other.kernels);
    }

    /** Seconds when computing and moving overlap perfectly and kernels follow each other. */
    double seconds(double flopsPerSecond, double bytesPerSecond, double kernelSeconds) {
        return Math.max(flops / flopsPerSecond, bytes / bytesPerSecond) + kernels * kernelSeconds;
    }
}
