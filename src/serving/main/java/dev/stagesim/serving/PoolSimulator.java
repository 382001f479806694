package dev.stagesim.serving;

import dev.stagesim.sim.serving.metrics.SustainedLoad.Verdict;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.Optional;

/** Simulates pools of engines with routers, for features that compare deployments. */
public interface PoolSimulator {
    /** Routers, with the names of {@code cluster.router.kind}. */
    enum Router {
        ROUND_ROBIN, // Instances in turn.
        LEAST_OUTSTANDING, // The minimum number of unfinished requests.
        PREFIX, // The longest cached prefix, weighed against the load.
        KV_COST // The minimum cost in NVIDIA Dynamo's router.
    }

    /**
     * Identical instances.
     *
     * @param replica the model on the devices of one instance
     */
    record Pool(int copies, ReplicaModel replica, EngineChoice deployment) {
        public int devices() {
            return copies * deployment.shape().devices();
        }
    }

    /**
     * Times of the requests in seconds, NaN if a request was not served.
     *
     * @param isComplete true if all requests were served
     * @param verdict whether the load was sustained
     */
    record Served(double[] firstToken, double[] completed, boolean isComplete, Verdict verdict) {}

    /**
     * Simulates requests.
     *
     * @param prompts pool of whole requests, or of prompts if there is a pool for outputs
     * @param limit maximum end of the simulation in seconds
     */
    Served serve(Pool prompts, Optional<Pool> outputs, Router router, RequestTrace trace, double limit);
}
