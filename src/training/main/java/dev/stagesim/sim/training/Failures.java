package dev.stagesim.sim.training;

/**
 * What failures and checkpoints leave of the time, with checkpoints as often as loses least: the interval of Young, the time of Daly
 * ("A higher order estimate of the optimum checkpoint interval for restart dumps", 2006), where failures may also strike a restart.
 *
 * @param deviceMtbf mean time between failures of one device in seconds; 0 for no failures
 * @param checkpoint seconds to write a checkpoint while training waits
 * @param restart seconds from a failure until training goes on
 */
public record Failures(double deviceMtbf, double checkpoint, double restart) {
    /** Share of the time of so many devices that goes into steps that count. */
    public double goodput(int devices) {
        if (deviceMtbf == 0) {
            return 1;
        }
        double mtbf = deviceMtbf / devices;
        double interval = interval(devices);
        double work = interval == 0 ? 1 : interval / mtbf / Math.expm1((interval + checkpoint) / mtbf);
        return work * Math.exp(-restart / mtbf);
    }

    /** Seconds between checkpoints. */
    public double interval(int devices) {
        return Math.sqrt(2 * deviceMtbf / devices * checkpoint);
    }
}
