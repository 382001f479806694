package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.router.view.RoutingGroup;

/** The sections {@code cluster.router} and {@code cluster.decode_router}: one record for each router, in its own file. */
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
    /** A router of that kind over a group of instances without requests. */
    Router over(RoutingGroup group);

    /** Whether it knows prefixes, by what it sent or by what caches tell. */
    default boolean usesKvEvents() {
        return false;
    }

    /** Whether it looks at more of the instances than what it sent. */
    default boolean readsSignals() {
        return false;
    }

    /** Whether a choice depends on anything but the requests and which instances are open. */
    default boolean dependsOnLoad() {
        return true;
    }
}
