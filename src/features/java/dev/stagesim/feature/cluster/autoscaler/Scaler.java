package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.ThroughputCounters;
import java.util.List;

/** Decides at equal intervals how many instances a pool is to have. */
interface Scaler {
    /**
     * A pool as a rule sees it.
     *
     * @param now seconds
     * @param ready instances that take requests
     * @param starting instances that will
     * @param total the metric, over all ready instances and what waits for one
     * @param least instances that it has at least
     * @param most instances that it has at most
     */
    record Load(double now, int ready, int starting, double total, int least, int most) {
        int instances() {
            return ready + starting;
        }

        /** A number within the limits. */
        int limited(int wanted) {
            return Math.min(most, Math.max(least, wanted));
        }
    }

    /**
     * A ready instance as a rule sees it.
     *
     * @param queuedTokens prompts that wait there for memory
     * @param heldTokens tokens that its memory holds
     */
    record Each(double queuedTokens, double heldTokens) {
        double tokens() {
            return queuedTokens + heldTokens;
        }
    }

    /** When the look after that at a time is, in seconds; the first is after that at 0. */
    double nextTime(double at);

    /** What has come and was completed since the beginning, told before each look. */
    default void observe(ThroughputCounters.Sums sums) {}

    /** Its ready instances, told before each look. */
    default void observe(List<Each> ready) {}

    /** Instances that there are to be. */
    int desired(Load load);
}
