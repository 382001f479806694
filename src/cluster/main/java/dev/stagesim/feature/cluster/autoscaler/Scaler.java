package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.ThroughputCounters;
import java.util.List;

/** Decides the number of instances of a pool. */
interface Scaler {
    /**
     * State of a pool.
     *
     * @param now time in seconds
     * @param ready open instances
     * @param starting ordered instances that are not open yet
     * @param total sum of the metric over open instances and the requests that wait for one
     * @param min minimum number of instances
     * @param max maximum number of instances
     */
    record Load(double now, int ready, int starting, double total, int min, int max) {
        int instances() {
            return ready + starting;
        }

        /** Clamps a number of instances to the limits. */
        int clamped(int wanted) {
            return Math.min(max, Math.max(min, wanted));
        }
    }

    /**
     * State of an open instance.
     *
     * @param queuedTokens prompt tokens that wait for memory
     * @param heldTokens tokens in the KV cache
     */
    record InstanceLoad(double queuedTokens, double heldTokens) {
        double tokens() {
            return queuedTokens + heldTokens;
        }
    }

    /** Returns the time of the decision after the one at {@code at}, in seconds. The first decision follows 0. */
    default double nextTime(double at, double interval) {
        return at + interval;
    }

    /** Receives the totals since the start of the run, before each decision. */
    default void observe(ThroughputCounters.Sums sums) {}

    /** Receives the open instances, before each decision. */
    default void observe(List<InstanceLoad> ready) {}

    /** Returns the number of instances that the rule requires. */
    int desired(Load load);
}
