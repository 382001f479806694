package dev.stagesim.feature.cluster.gateway;

/** Decides whether the gateway accepts a request. */
interface Admission {
    /**
     * Decides once per request.
     *
     * @param load requests in the cluster and the gateway, per open instance; infinite if no instance is open
     */
    boolean admits(int request, double now, double load);
}
