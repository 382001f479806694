package dev.stagesim.feature.cluster;

/** The sections {@code cluster.router} and {@code cluster.decode_router}: one record for each router, in its own file. */
public sealed interface RouterSettings
        permits RoundRobin.Settings,
                RandomChoice.Settings,
                LeastOutstanding.Settings,
                PowerOfTwo.Settings,
                SessionHash.Settings,
                PrefixRouter.Settings,
                KvCost.Settings,
                AdapterAffinity.Settings {
    /** A router of that kind over a group of instances without requests. */
    Router over(Group group);
}
