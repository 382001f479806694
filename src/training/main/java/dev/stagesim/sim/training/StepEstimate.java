package dev.stagesim.sim.training;

import java.util.Arrays;

/**
 * Time of a step in seconds, and its parts. Work is the mean of all ranks; the bubble includes the excess of the busiest rank.
 *
 * @param step total
 * @param forward forward computation of all micro-batches
 * @param backward backward computation of all micro-batches
 * @param recomputation recomputation of activations
 * @param tensor exposed tensor-parallel collectives
 * @param context exposed context-parallel exchange
 * @param expert exposed exchange of tokens with experts
 * @param bubble idle time: filling, draining, uneven stages and transfers
 * @param data exposed communication of gradients and weights
 * @param optimizer optimizer step
 * @param stages times of a micro-batch
 */
public record StepEstimate(
        double step,
        double forward,
        double backward,
        double recomputation,
        double tensor,
        double context,
        double expert,
        double bubble,
        double data,
        double optimizer,
        Stages stages) {
    /**
     * Times of a micro-batch.
     *
     * @param forward forward time on each stage
     * @param input input-gradient time on each stage, including recomputation
     * @param weight weight-gradient time on each stage
     * @param transfer time of a message between adjacent stages
     */
    record Stages(double[] forward, double[] input, double[] weight, double transfer) {
        Stages times(double factor) {
            return new Stages(
                    StepEstimate.times(forward, factor),
                    StepEstimate.times(input, factor),
                    StepEstimate.times(weight, factor),
                    transfer * factor);
        }
    }

    /** Returns this estimate with all times multiplied by {@code factor}. */
    StepEstimate times(double factor) {
        return new StepEstimate(
                step * factor,
                forward * factor,
                backward * factor,
                recomputation * factor,
                tensor * factor,
                context * factor,
                expert * factor,
                bubble * factor,
                data * factor,
                optimizer * factor,
                stages.times(factor));
    }

    private static double[] times(double[] values, double factor) {
        return Arrays.stream(values).map(value -> value * factor).toArray();
    }
}
