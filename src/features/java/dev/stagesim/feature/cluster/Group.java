package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.ClusterSimSettings.Role;
import dev.stagesim.sim.core.RandomStream;

/**
 * Instances that a router chooses from, and the requests as it sees them.
 *
 * @param role what the instances do; groups draw each for itself
 * @param prompts the requests
 * @param cacheTokens what the cache of each instance holds
 * @param adapterSlots LoRA adapters that each instance has room for
 * @param members those that may be chosen
 * @param signals what is seen of them
 */
record Group(Role role, Prompts prompts, long[] cacheTokens, int[] adapterSlots, Members members, Signals signals) {
    /** All of them may be chosen. */
    Group(Role role, Prompts prompts, long[] cacheTokens) {
        this(role, prompts, cacheTokens, new int[cacheTokens.length]);
    }

    /** The same with room for adapters. */
    Group(Role role, Prompts prompts, long[] cacheTokens, int[] adapterSlots) {
        this(role, prompts, cacheTokens, adapterSlots, Signals.fresh(cacheTokens.length));
    }

    /** The same with signals of their own. */
    Group(Role role, Prompts prompts, long[] cacheTokens, int[] adapterSlots, Signals signals) {
        this(role, prompts, cacheTokens, adapterSlots, new Members(cacheTokens.length), signals);
    }

    int size() {
        return cacheTokens.length;
    }

    RandomStream random(long seed) {
        return RandomStream.of(seed, "router " + role);
    }
}
