package dev.stagesim.feature.cluster.router.view;

import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Profile;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.sim.core.RandomStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Instances that a router chooses from, and the requests as it sees them.
 *
 * @param role what the instances do; groups draw each for itself
 * @param prompts the requests
 * @param cacheTokens what the cache of each instance holds
 * @param adapterSlots LoRA adapters that each instance has room for
 * @param members those that may be chosen
 * @param signals what is seen of them
 * @param profiles what each does alone; empty where nobody asks
 * @param kvEvents what their caches tell; null where the router does not follow it
 */
public record RoutingGroup(
        PoolRole role,
        Prompts prompts,
        long[] cacheTokens,
        int[] adapterSlots,
        AvailableInstances members,
        Signals signals,
        List<Profile> profiles,
        @Nullable KvEventBus kvEvents) {
    /** All of them may be chosen. */
    public RoutingGroup(PoolRole role, Prompts prompts, long[] cacheTokens) {
        this(role, prompts, cacheTokens, new int[cacheTokens.length]);
    }

    /** The same with room for adapters. */
    public RoutingGroup(PoolRole role, Prompts prompts, long[] cacheTokens, int[] adapterSlots) {
        this(role, prompts, cacheTokens, adapterSlots, Signals.fresh(cacheTokens.length));
    }

    /** The same with signals of their own. */
    public RoutingGroup(PoolRole role, Prompts prompts, long[] cacheTokens, int[] adapterSlots, Signals signals) {
        this(role, prompts, cacheTokens, adapterSlots, signals, List.of());
    }

    /** The same with what each does alone. */
    public RoutingGroup(
            PoolRole role,
            Prompts prompts,
            long[] cacheTokens,
            int[] adapterSlots,
            Signals signals,
            List<Profile> profiles) {
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

    /** The same with what their caches tell. */
    public RoutingGroup following(@Nullable KvEventBus told) {
        return new RoutingGroup(role, prompts, cacheTokens, adapterSlots, members, signals, profiles, told);
    }

    public int size() {
        return cacheTokens.length;
    }

    public RandomStream random(long seed) {
        return RandomStream.of(seed, "router " + role);
    }
}
