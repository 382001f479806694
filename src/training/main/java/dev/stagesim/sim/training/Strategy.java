package dev.stagesim.sim.training;

import dev.stagesim.sim.training.schedule.PipelineSchedule;

/**
 * How a model is laid out over devices and what is kept or computed again.
 *
 * @param tensor tensor parallelism
 * @param pipeline pipeline parallelism
 * @param virtual stages of a rank, for the interleaved schedule
 * @param data data parallelism, without context parallelism
 * @param context context parallelism
 * @param expert expert parallelism
 * @param expertTensor tensor parallelism of experts
 * @param zero ZeRO stage
 * @param shardGroup ranks that share one set of states
 * @param microBatch sequences of a micro-batch
 * @param isSequence sequence parallelism
 * @param recompute what is computed again
 * @param schedule pipeline schedule
 */
public record Strategy(
        int tensor,
        int pipeline,
        int virtual,
        int data,
        int context,
        int expert,
        int expertTensor,
        int zero,
        int shardGroup,
        int microBatch,
        boolean isSequence,
        Recompute recompute,
        PipelineSchedule schedule) {
    /** What is computed again in backward, least first. */
    public enum Recompute {
        NONE,
        /** The scores of attention; nothing where attention is fused. */
        SELECTIVE,
        /** Norms, activation functions and the expansion of latent attention: what is cheap to compute again. */
        POINTWISE,
        /** The feed-forward network or the experts, without their routing. */
        MODULES,
        /**
         * Everything but attention, reduce-scatters and every second 16-bit product in the order query, key, value, output,
         * gate, up, down: the operator policy of torchtitan.
         */
        OPERATORS,
        /** Every second layer. */
        HALF,
        /** Every layer. */
        FULL
    }

    public int devices() {
        return tensor * pipeline * data * context;
    }

    /** Ranks that hold the same dense weights of a stage. */
    public int replicas() {
        return data * context;
    }

    /** Ranks that hold the same expert weights of a stage. */
    public int expertReplicas() {
        return Math.max(1, data * context * tensor / (expert * expertTensor));
    }

    /** Stages that each rank holds. */
    public int chunks() {
        return Math.max(virtual, schedule.fixedChunks());
    }

    /** A stage of a rank: in turn over the ranks, and back again where the schedule makes a V. */
    public int stage(int rank, int chunk) {
        return schedule.fixedChunks() == 2 && chunk == 1 ? 2 * pipeline - 1 - rank : rank + chunk * pipeline;
    }

    /** The rank with the last stage. */
    int lastRank() {
        return schedule.fixedChunks() == 2 ? 0 : pipeline - 1;
    }

    /** Ranks that share one set of states of experts: their replicas, divided as those of the dense weights are. */
    public int expertShards() {
        return shardGroup == 1 && replicas() > 1
                ? 1
                : (int) Math.max(1, (long) expertReplicas() * Math.min(shardGroup, replicas()) / replicas());
    }

    public int microBatches(int globalBatch) {
        return globalBatch / (data * microBatch);
    }
}
