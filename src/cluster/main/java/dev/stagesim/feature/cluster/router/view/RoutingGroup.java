package dev.stagesim.feature.cluster.router.view;

import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.instance.InstancePerformance;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.sim.core.RandomStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The instances that a router chooses from.
 *
 * @param role role of the instances; part of the random seed
 * @param prompts the requests
 * @param cacheTokens cache capacity by instance in tokens
 * @param adapterSlots LoRA adapter slots by instance
 * @param members open instances
 * @param signals instance metrics
 * @param profiles performance profiles by instance; empty if no router uses them
 * @param kvEvents KV events, or null if the router does not use them
 */
public record RoutingGroup(
        PoolRole role,
        Prompts prompts,
        long[] cacheTokens,
        int[] adapterSlots,
        AvailableInstances members,
        Signals signals,
        List<InstancePerformance> profiles,
        @Nullable KvEventBus kvEvents) {
    /** Creates a group without KV events, all instances open. */
    public RoutingGroup(
            PoolRole role,
            Prompts prompts,
            long[] cacheTokens,
            int[] adapterSlots,
            Signals signals,
            List<InstancePerformance> profiles) {
        this(
                role,
                prompts,
                cacheTokens,
                adapterSlots,
                new AvailableInstances(cacheTokens.length),
                signals,
                profiles,
                null);
    }

    /** Returns the group with KV events. */
    public RoutingGroup following(@Nullable KvEventBus events) {
        return new RoutingGroup(role, prompts, cacheTokens, adapterSlots, members, signals, profiles, events);
    }

    public int size() {
        return cacheTokens.length;
    }

    public RandomStream random(long seed) {
        return RandomStream.of(seed, "router " + role);
    }
}
