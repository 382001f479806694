package dev.stagesim.feature.fabric.performance;

import java.util.Optional;

/** Predicts the duration of a training step on a deployment. Implementations are thread-safe. */
public interface TrainingStepModel {
    /** Returns why the deployment cannot run the step; empty if it can. */
    Optional<String> whyInfeasible(TargetPlacement deployment, int copies, int microbatch);

    /**
     * Predicts a step.
     *
     * @param microbatch sequences of a step per copy
     */
    Step step(TargetPlacement deployment, int copies, int microbatch);

    /** Returns the relative standard deviation of throughput. */
    double sigma();

    /**
     * A predicted step.
     *
     * @param utilization share of the 16-bit peak that the operations of the model use
     * @param link link to the source; empty for the closed form
     */
    record Step(double ms, double utilization, String link) {}
}
