package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.model.Key;

/** The section {@code cluster.pools.NAME.scaling}. */
public record ScalingSettings(
        @Key("Minimum number of instances. | 1 | 0..10000") int min,
        @Key("Maximum number of instances. | required | 1..10000") int max,
        @Key("Target P99 TTFT: the report explains late scaling only if it is missed. | 500 | ms | 0.001..1000000000")
                double ttftTargetMs,
        @Key("Autoscaling rule. | { kind = hpa }") ScalerSettings rule) {}
