package dev.stagesim.sim.training;

import java.util.Arrays;

/**
 * Time of a step by part, seconds. The parts of work are the mean of all ranks; the bubble holds what the fullest rank adds to them.
 *
 * @param forward forward of all micro-batches
 * @param again what is computed again
 * @param tensor exposed tensor-parallel collectives
 * @param context exposed context-parallel exchange
 * @param expert exposed exchange of experts
 * @param bubble filling, draining, uneven stages and transfers
 * @param data exposed gradients and weights
 * @param stageForward forward of a micro-batch on each stage
 * @param stageInput input gradient of a micro-batch on each stage, with what is computed again
 * @param stageWeight weight gradient of a micro-batch on each stage
 * @param transfer between stages
 */
public record StepEstimate(
        double step,
        double forward,
        double backward,
        double again,
        double tensor,
        double context,
        double expert,
        double bubble,
        double data,
        double optimizer,
        double[] stageForward,
        double[] stageInput,
        double[] stageWeight,
        double transfer) {
    /** This step where all of it takes so many times as long. */
    StepEstimate times(double factor) {
        return new StepEstimate(
                step * factor,
                forward * factor,
                backward * factor,
                again * factor,
                tensor * factor,
                context * factor,
                expert * factor,
                bubble * factor,
                data * factor,
                optimizer * factor,
                times(stageForward, factor),
                times(stageInput, factor),
                times(stageWeight, factor),
                transfer * factor);
    }

    private static double[] times(double[] values, double factor) {
        return Arrays.stream(values).map(value -> value * factor).toArray();
    }
}
