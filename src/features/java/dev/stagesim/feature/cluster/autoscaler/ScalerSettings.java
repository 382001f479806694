package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.PoolPlan;

/** The section {@code cluster.pools.NAME.scaling.rule}: one record for each rule, in its own file. */
public sealed interface ScalerSettings
        permits Hpa.Settings, Keda.Settings, Kpa.Settings, Apa.Settings, Sla.Settings, LoadPlanner.Settings {
    /** What a rule looks at. */
    enum Metric {
        REQUESTS, // Requests of the pool that are not done, and those that wait for an instance.
        WAITING, // Requests that wait in the engines of the pool or for an instance.
        KV // Instances' worth of KV cache in use.
    }

    /** What it looks at. */
    default Metric metric() {
        return Metric.REQUESTS;
    }

    /** Target value of it for an instance. */
    default double target() {
        return 1;
    }

    /** Whether it orders an instance when there is none. */
    default boolean scalesFromZero() {
        return false;
    }

    /** A rule of that kind that has seen nothing yet. */
    Scaler make();

    /** The same for the instances of a pool. */
    default Scaler make(PoolPlan pool) {
        return make();
    }
}
