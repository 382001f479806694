package dev.stagesim.feature.cluster;

import dev.stagesim.sim.core.RandomStream;

/**
 * Instances that a router chooses from, and the requests as it sees them.
 *
 * @param prompts the requests
 * @param cacheTokens what the cache of each instance holds
 */
record Group(Prompts prompts, long[] cacheTokens) {
    int size() {
        return cacheTokens.length;
    }

    RandomStream random(long seed) {
        return RandomStream.of(seed, "router");
    }
}
