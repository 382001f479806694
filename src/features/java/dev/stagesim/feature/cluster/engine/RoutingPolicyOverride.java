package dev.stagesim.feature.cluster.engine;

/** How the decisions of a run come about: as its routers choose, or otherwise. */
public interface RoutingPolicyOverride {
    /** As the routers choose. */
    RoutingPolicyOverride NONE = (poolRouter, request, hasPrompt, now) -> poolRouter.choose(request, hasPrompt);

    /** The number of the instance for a request, which the front's router is told of. */
    int choose(PoolRouter poolRouter, int request, boolean hasPrompt, double now);
}
