package dev.stagesim.serving;

import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.Optional;

/** Serves requests with pools of engines behind routers; features that compare deployments ask it. */
public interface PoolSimulator {
    /** Routers, as {@code cluster.router.kind} names them. */
    enum Router {
        ROUND_ROBIN, // In turn.
        LEAST_OUTSTANDING, // The fewest requests that are not done.
        PREFIX, // The longest prefix that an instance has, against its load.
        KV_COST // The cost of NVIDIA Dynamo's router.
    }

    /**
     * Equal instances.
     *
     * @param replica the model on the devices of one
     */
    record Pool(int copies, ReplicaModel replica, EngineChoice deployment) {
        public int devices() {
            return copies * deployment.shape().devices();
        }
    }

    /**
     * Times of the requests in seconds, not numbers where they did not come.
     *
     * @param keepsUp whether all were served and did not pile up
     */
    record Served(double[] firstToken, double[] completed, boolean keepsUp) {}

    /**
     * Serves requests.
     *
     * @param prompts for whole requests, or for prompts where there is a pool for outputs
     * @param limit when it ends at the latest, in seconds
     */
    Served serve(Pool prompts, Optional<Pool> outputs, Router router, RequestTrace trace, double limit);
}
