package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.PoolPlan;

/** The section {@code cluster.pools.NAME.scaling.rule}. Each rule has its record in a file of its name. */
public sealed interface ScalerSettings
        permits Hpa.Settings, Keda.Settings, Kpa.Settings, Apa.Settings, Sla.Settings, LoadPlanner.Settings {
    /** Metric of an instance. */
    enum Metric {
        REQUESTS, // Unfinished requests of the pool, and requests that wait for an instance.
        WAITING, // Requests that wait in an engine's queue or for an instance.
        KV // Used share of the KV cache, summed over instances.
    }

    default Metric metric() {
        return Metric.REQUESTS;
    }

    /** Returns the interval between decisions in seconds. */
    double intervalS();

    /** Returns the target value of the metric per instance. */
    default double target() {
        return 1;
    }

    /** Returns true if the rule can scale from zero. */
    default boolean scalesFromZero() {
        return false;
    }

    Scaler make();

    /** Creates the rule for a pool. */
    default Scaler make(PoolPlan pool) {
        return make();
    }
}
