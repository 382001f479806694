package dev.stagesim.feature.fabric.performance;

import dev.stagesim.sim.capacity.ReplicaRun.Service;
import java.util.Optional;

/** How fast one copy of a model on a deployment serves; implementations may be asked by several threads. */
public interface ServiceModel {
    /** Why the deployment cannot serve sequences of that many tokens; empty when it can. */
    Optional<String> infeasibility(TargetPlacement deployment, int sequenceTokens);

    /** Requests per second that one copy carries at most. */
    double capacity(TargetPlacement deployment, int prompt, int generate);

    /** Service of one copy at a load. */
    Service service(TargetPlacement deployment, Load load);

    /** Standard deviation of a deployment's throughput, relative. */
    double sigma(TargetPlacement deployment);

    /** Link to what says how much a copy carries; empty for the closed-form model. */
    String capacityRun(TargetPlacement deployment, int prompt, int generate);

    /** Link to what says how fast it answers; empty for the closed-form model. */
    String serviceRun(TargetPlacement deployment, Load load);

    /**
     * Load of one copy.
     *
     * @param rate requests per second
     * @param variation coefficient of variation of the gaps
     * @param copies copies that share the service's load, of which this is one
     */
    record Load(double rate, double variation, int copies, int prompt, int generate) {}
}
