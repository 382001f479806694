package dev.stagesim.feature.fabric.performance;

import java.util.Optional;

/** How long a training step takes on a deployment; implementations may be asked by several threads. */
public interface TrainingStepModel {
    /** Why the deployment cannot take such a step; empty when it can. */
    Optional<String> infeasibility(TargetPlacement deployment, int copies, int microbatch);

    /**
     * A step.
     *
     * @param microbatch sequences of the step on each of them
     */
    Step step(TargetPlacement deployment, int copies, int microbatch);

    /** Standard deviation of throughput, relative. */
    double sigma();

    /**
     * A step.
     *
     * @param utilization share of the accelerators' 16-bit peak that the model's own operations take
     * @param link to what says so; empty for the closed-form model
     */
    record Step(double ms, double utilization, String link) {}
}
