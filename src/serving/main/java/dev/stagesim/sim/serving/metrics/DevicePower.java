package dev.stagesim.sim.serving.metrics;

/**
 * Power of devices relative to their board power.
 *
 * <p>The values were fitted to the mean power of 565 runs on H100 and B200 (ml-energy/leaderboard 0cd52da). Idle power is
 * the lowest of kernels on H200, B200 and GB200 (0.17 to 0.25). All values apply to devices with a loaded model.
 */
public final class DevicePower {
    /** Power of an idle device. */
    public static final double IDLE = 0.2;

    /** Power of a device that computes at a low FLOPs utilisation, for example in decode. */
    public static final double BUSY = 0.65;

    /** Additional power per FLOPs utilisation (of the 16-bit peak). */
    public static final double PER_UTILIZATION = 1.5;

    private static final double PERCENT = 100;

    private DevicePower() {}

    /**
     * Returns the power of a device while it computes a step, at most 1.
     *
     * @param mfuPercent model FLOPs utilisation in percent; NaN if unknown
     */
    public static double busy(double mfuPercent) {
        double more = Double.isNaN(mfuPercent) ? 0 : PER_UTILIZATION * mfuPercent / PERCENT;
        return Math.min(1, BUSY + more);
    }
}
