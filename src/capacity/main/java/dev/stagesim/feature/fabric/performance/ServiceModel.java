package dev.stagesim.feature.fabric.performance;

import dev.stagesim.sim.capacity.ReplicaRun.Service;
import java.util.Optional;

/** Predicts the service of one copy of a model on a deployment. Implementations are thread-safe. */
public interface ServiceModel {
    /** Returns why the deployment cannot serve sequences of that length; empty if it can. */
    Optional<String> whyInfeasible(TargetPlacement deployment, int sequenceTokens);

    /** Returns the maximum rate of one copy in requests per second. */
    double capacity(TargetPlacement deployment, int prompt, int generate);

    /** Returns the service of one copy at a load. */
    Service service(TargetPlacement deployment, Load load);

    /** Returns the relative standard deviation of throughput. */
    double sigma(TargetPlacement deployment);

    /** Returns the link to the source of the capacity; empty for the closed form. */
    String capacityRun(TargetPlacement deployment, int prompt, int generate);

    /** Returns the link to the source of the latencies; empty for the closed form. */
    String serviceRun(TargetPlacement deployment, Load load);

    /**
     * Load of one copy.
     *
     * @param rate requests per second
     * @param variation coefficient of variation of the inter-arrival times
     * @param copies number of copies that share the load of the service
     */
    record Load(double rate, double variation, int copies, int prompt, int generate) {}
}
