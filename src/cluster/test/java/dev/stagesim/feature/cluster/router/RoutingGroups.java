package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import java.util.List;

/** Routing groups without profiles and KV events, for tests of routers. */
public final class RoutingGroups {
    private RoutingGroups() {}

    /** Creates a group without adapters. */
    public static RoutingGroup of(PoolRole role, Prompts prompts, long[] caches) {
        return of(role, prompts, caches, new int[caches.length]);
    }

    /** Creates a group with current metrics. */
    public static RoutingGroup of(PoolRole role, Prompts prompts, long[] caches, int[] adapterSlots) {
        return of(role, prompts, caches, adapterSlots, Signals.fresh(caches.length));
    }

    public static RoutingGroup of(PoolRole role, Prompts prompts, long[] caches, int[] adapterSlots, Signals signals) {
        return new RoutingGroup(role, prompts, caches, adapterSlots, signals, List.of());
    }
}
