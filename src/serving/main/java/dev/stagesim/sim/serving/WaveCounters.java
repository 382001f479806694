package dev.stagesim.sim.serving;

/**
 * The metrics of engines that share experts and run every step together.
 *
 * @param waves number of times that a paused group started to run
 * @param steps steps of groups, each on all engines
 * @param dummies steps of an engine without requests
 * @param stepSeconds time of the steps with requests, summed over engines
 * @param waitSeconds part of this time that engines waited for slower ones
 */
public record WaveCounters(long waves, long steps, long dummies, double stepSeconds, double waitSeconds) {
    /** No group. */
    public static final WaveCounters NONE = new WaveCounters(0, 0, 0, 0, 0);

    public WaveCounters plus(WaveCounters other) {
        return new WaveCounters(
                waves + other.waves,
                steps + other.steps,
                dummies + other.dummies,
                stepSeconds + other.stepSeconds,
                waitSeconds + other.waitSeconds);
    }
}
