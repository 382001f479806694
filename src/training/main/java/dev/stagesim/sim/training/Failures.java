package dev.stagesim.sim.training;

/**
 * Share of useful time with failures and periodic checkpoints.
 *
 * <p>The checkpoint interval is Young's optimum. The expected time follows Daly ("A higher order estimate of the optimum checkpoint interval
 * for restart dumps", 2006), which includes failures during a restart.
 *
 * @param deviceMtbf mean time between failures of one device in seconds; 0 for no failures
 * @param checkpoint seconds for which training stops to write a checkpoint
 * @param restart seconds from a failure until training resumes
 */
public record Failures(double deviceMtbf, double checkpoint, double restart) {
    /** Returns the share of the time that {@code devices} devices spend on steps that are not lost. */
    public double goodput(int devices) {
        if (deviceMtbf == 0) {
            return 1;
        }
        double mtbf = deviceMtbf / devices;
        double interval = interval(devices);
        double work = interval == 0 ? 1 : interval / mtbf / Math.expm1((interval + checkpoint) / mtbf);
        return work * Math.exp(-restart / mtbf);
    }

    /** Returns the seconds between checkpoints. */
    public double interval(int devices) {
        return Math.sqrt(2 * deviceMtbf / devices * checkpoint);
    }
}
