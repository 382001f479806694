package dev.stagesim.feature.cluster.engine;

/** Decides in place of the routers, for replays. */
public interface RoutingPolicyOverride {
    /** Lets the routers decide. */
    RoutingPolicyOverride NONE = (poolRouter, request, hasPrompt, now) -> poolRouter.choose(request, hasPrompt);

    /** Returns the number of the instance for a request. */
    int choose(PoolRouter poolRouter, int request, boolean hasPrompt, double now);
}
