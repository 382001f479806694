package dev.stagesim.feature.cluster.gateway;

/** Decides whether a request is let in. */
interface Admission {
    /**
     * Decides once for a request.
     *
     * @param load requests in the cluster and in front of it, for each open instance; infinite when none is open
     */
    boolean admits(int request, double now, double load);
}
