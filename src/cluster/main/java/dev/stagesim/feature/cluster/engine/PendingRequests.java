package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.autoscaler.Fleet;
import dev.stagesim.feature.cluster.autoscaler.PoolScaling;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.gateway.Gateway;
import dev.stagesim.feature.cluster.instance.EventSchedule;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.ThroughputCounters;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Requests that wait for an instance. Autoscaling rules add them to the load of the open instances. */
record PendingRequests(
        List<PoolPlan> pools,
        ClusterTopology topology,
        RequestTimeline timeline,
        @Nullable Gateway gateway,
        ThroughputCounters traffic) {
    /** Starts the autoscaling of all pools. */
    void begin(Map<String, Pool> settings, Fleet fleet, List<Instance> instances, EventSchedule operations) {
        for (PoolPlan pool : pools) {
            Optional.ofNullable(settings.get(pool.name()))
                    .flatMap(Pool::scaling)
                    .ifPresent(scaling -> new PoolScaling(
                            pool, scaling, fleet, instances, operations, () -> waiting(pool.role()), traffic));
        }
    }

    /** Returns the waiting requests of a role, divided by the number of its pools with autoscaling. */
    private double waiting(PoolRole role) {
        double inside = topology.poolRouter(role).pending().stream()
                        .filter(timeline::isOpen)
                        .count()
                / scaling(role::equals);
        return gateway == null || role == PoolRole.DECODE
                ? inside
                : inside + gateway.waiting() / scaling(other -> other != PoolRole.DECODE);
    }

    private double scaling(Predicate<PoolRole> roles) {
        return pools.stream()
                .filter(pool -> pool.scaling().isPresent() && roles.test(pool.role()))
                .count();
    }
}
