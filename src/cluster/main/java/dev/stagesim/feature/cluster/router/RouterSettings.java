package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.router.view.RoutingGroup;

/**
 * The sections {@code cluster.router} and {@code cluster.decode_router}. Each router has its record in a file of its
 * name.
 */
public sealed interface RouterSettings
        permits RoundRobin.Settings,
                RandomChoice.Settings,
                LeastOutstanding.Settings,
                PowerOfTwo.Settings,
                SessionHash.Settings,
                PrefixRouter.Settings,
                KvCost.Settings,
                AdapterAffinity.Settings,
                CacheAware.Settings,
                DataParallel.Settings,
                LlmD.Settings,
                Aibrix.Settings,
                AibrixPrefix.Settings,
                AibrixVtc.Settings,
                ProductionPrefix.Settings,
                ProductionKv.Settings {
    /** Creates a router for a group. */
    Router over(RoutingGroup group);

    /** Returns true if the router uses prefixes, from KV events or from the prompts that it sent. */
    default boolean usesKvEvents() {
        return false;
    }

    /** Returns true if the router reads instance metrics. */
    default boolean readsSignals() {
        return false;
    }

    /** Returns true unless choices depend only on the requests and the open instances. */
    default boolean dependsOnLoad() {
        return true;
    }
}
