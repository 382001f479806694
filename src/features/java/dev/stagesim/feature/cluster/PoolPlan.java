package dev.stagesim.feature.cluster;

import dev.stagesim.feature.Deployment;
import dev.stagesim.feature.Replica;
import dev.stagesim.feature.cluster.ClusterSimSettings.Role;

/**
 * A pool that can run.
 *
 * @param replica the model on the devices of an instance
 * @param deployment how it is run
 * @param linkBytesPerS network of an instance and direction
 */
record PoolPlan(String name, Role role, int replicas, Replica replica, Deployment deployment, double linkBytesPerS) {
    /** Seconds that a request takes through the API server of the engine to its scheduler. */
    double serverSeconds() {
        return deployment.shape().card().requestUs() / 1e6;
    }

    int devices() {
        return replicas * deployment.shape().devices();
    }
}
