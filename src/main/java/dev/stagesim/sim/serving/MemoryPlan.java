package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Locale;

/**
 * How a device's memory is split between weights and KV blocks.
 *
 * @param parametersPerDevice weights on one device
 * @param parameterBytes their bytes, two each
 * @param kvBytesPerRequest KV bytes of one sequence of the greatest length
 * @param maxBatchFromMemory such sequences that fit beside the weights
 * @param requestSlots sequences over all pipeline stages
 * @param numBlocks KV blocks of a replica
 * @param blocksPerSequence blocks of one sequence of the greatest length
 * @param effectiveMaxBatch least of memory's limit and the configured cap
 * @param microBatch most requests in one batch
 * @param watermarkBlocks blocks that new requests must leave free
 */
public record MemoryPlan(
        long parametersPerDevice,
        long parameterBytes,
        long kvBytesPerRequest,
        long maxBatchFromMemory,
        long requestSlots,
        long numBlocks,
        int blocksPerSequence,
        int effectiveMaxBatch,
        int microBatch,
        long watermarkBlocks) {
    private static final double BYTES_PER_GIB = 1024.0 * 1024.0 * 1024.0;

    /**
     * Plans memory.
     *
     * <p>The reference counts the KV bytes of all layers on every pipeline stage; without its quirks only those of the
     * stage's own layers count, so that pipelining does give room.
     *
     * @throws StageException when not even one sequence fits
     */
    public static MemoryPlan of(ServingSpec spec) {
        ClusterSpec cluster = spec.cluster();
        long parameters = spec.parametersPerDevice();
        int kvLayers = spec.quirks() ? spec.model().layers() : spec.layersPerStage();
        long kvBytes = (long) Math.ceil(spec.kvBytesPerToken(kvLayers) * spec.maxTokens());
        double usable = cluster.memoryGib() * BYTES_PER_GIB * (1 - cluster.memoryMargin());
        long fits = (long) Math.floor((usable - 2.0 * parameters) / kvBytes);
        if (fits <= 0) {
            throw notEnough(cluster, 2 * parameters, kvBytes);
        }
        SchedulerSpec.Limits limits = spec.scheduler().limits();
        int perSequence = spec.maxTokens() / limits.blockSize();
        long slots = fits * cluster.pipelineStages();
        long blocks = limits.numBlocks() > 0 ? limits.numBlocks() : perSequence * slots;
        return new MemoryPlan(
                parameters,
                2 * parameters,
                kvBytes,
                fits,
                slots,
                blocks,
                perSequence,
                (int) Math.min(fits, limits.batchSizeCap()),
                limits.batchSizeCap() / cluster.pipelineStages(),
                (long) (limits.watermark() * blocks));
    }

    private static StageException notEnough(ClusterSpec cluster, long parameterBytes, long kvBytes) {
        return StageException.input(Problem.of(
                        "config error",
                        "hardware.memory",
                        String.format(
                                Locale.ROOT,
                                "not enough memory for a single request: %.1f GiB with a margin of %s, weights %.1f GiB,"
                                        + " KV cache of one longest sequence %.2f GiB",
                                cluster.memoryGib(),
                                cluster.memoryMargin(),
                                parameterBytes / BYTES_PER_GIB,
                                kvBytes / BYTES_PER_GIB))
                .hint("raise cluster.tensor_parallel_size or cluster.num_pipeline_stages, lower"
                        + " cluster.memory_margin_fraction or the workload's longest sequence, or choose hardware with"
                        + " more memory"));
    }
}
