package dev.stagesim.sim.training;

import dev.stagesim.sim.training.schedule.PipelineSchedule;

/**
 * Parallelisation and recomputation strategy of a training job.
 *
 * @param degrees degrees of parallelism
 * @param schedule pipeline schedule
 * @param virtual stages per rank of the interleaved schedule
 * @param zero ZeRO stage
 * @param shardGroup replicas over which one set of states is sharded
 * @param microBatch sequences per micro-batch
 * @param isSequence true with sequence parallelism
 * @param recompute recomputation policy
 */
public record Strategy(
        Degrees degrees,
        PipelineSchedule schedule,
        int virtual,
        int zero,
        int shardGroup,
        int microBatch,
        boolean isSequence,
        Recompute recompute) {
    /**
     * Degrees of parallelism.
     *
     * @param tensor tensor parallelism
     * @param pipeline pipeline parallelism
     * @param data data parallelism, excluding context parallelism
     * @param context context parallelism
     * @param expert expert parallelism
     * @param expertTensor tensor parallelism of experts
     */
    public record Degrees(int tensor, int pipeline, int data, int context, int expert, int expertTensor) {
        int devices() {
            return tensor * pipeline * data * context;
        }

        /** Returns the number of ranks with the same dense weights of a stage. */
        int replicas() {
            return data * context;
        }
    }

    /** Activation recomputation in the backward pass, cheapest first. */
    public enum Recompute {
        NONE,
        /** Attention scores; no effect with fused attention. */
        SELECTIVE,
        /** Norms, activation functions and the expansion of latent attention, which are all cheap. */
        POINTWISE,
        /** The feed-forward network, or the experts without routing. */
        MODULES,
        /**
         * Everything except attention, reduce-scatters and every second 16-bit product, in the order query, key, value, output, gate, up,
         * down. This is the operator policy of torchtitan.
         */
        OPERATORS,
        /** Every second layer. */
        HALF,
        /** Every layer. */
        FULL
    }

    public int tensor() {
        return degrees.tensor();
    }

    public int pipeline() {
        return degrees.pipeline();
    }

    public int data() {
        return degrees.data();
    }

    public int context() {
        return degrees.context();
    }

    public int expert() {
        return degrees.expert();
    }

    public int expertTensor() {
        return degrees.expertTensor();
    }

    public int devices() {
        return degrees.devices();
    }

    public int replicas() {
        return degrees.replicas();
    }

    /** Returns the axes that {@link StrategySearch} compares last, as text. */
    String lastAxes() {
        return virtual + "," + expert() + "," + expertTensor() + "," + zero + "," + shardGroup + "," + recompute + ","
                + schedule;
    }

    /** Returns the number of ranks with the same expert weights of a stage. */
    int expertReplicas() {
        return Math.max(1, replicas() * tensor() / (expert() * expertTensor()));
    }

    /** Returns the number of stages per rank. */
    public int chunks() {
        return Math.max(virtual, schedule.fixedChunks());
    }

    /** Returns the stage of a rank's chunk: round robin over ranks, or in reverse order for the second half of a V schedule. */
    public int stage(int rank, int chunk) {
        return schedule.fixedChunks() == 2 && chunk == 1 ? 2 * pipeline() - 1 - rank : rank + chunk * pipeline();
    }

    /** Returns the rank with the last stage. */
    int lastRank() {
        return schedule.fixedChunks() == 2 ? 0 : pipeline() - 1;
    }

    /** Returns the replicas over which expert states are sharded: as many sharding groups as for dense weights. */
    int expertShards() {
        return shardGroup == 1 && replicas() > 1
                ? 1
                : (int) Math.max(1, (long) expertReplicas() * Math.min(shardGroup, replicas()) / replicas());
    }

    public int microBatches(int globalBatch) {
        return globalBatch / (data() * microBatch);
    }
}
