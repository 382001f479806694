package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.serving.memory.KvSizing;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * How a device's memory is split between weights and KV blocks.
 *
 * @param parametersPerDevice weights on one device
 * @param parameterBytes their bytes
 * @param kvBytesPerRequest KV bytes of one sequence of the greatest length on one device
 * @param maxBatchFromMemory such sequences of one batch, when every pipeline stage has a batch
 * @param requestSlots such sequences of a replica
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

    /** Blocks of an engine that a simulation follows one by one, at most; it takes so many bytes for each. */
    private static final long MOST_BLOCKS = 100_000_000;

    private static final double BYTES_A_BLOCK = 16;
    private static final double BYTES_A_REPLICA = 20_000;

    /**
     * Plans memory.
     *
     * <p>A device holds the KV cache of its own stage's layers, for all sequences of the replica. So the blocks of a
     * replica are the bytes that weights leave on a device, divided by a block's bytes in those layers.
     *
     * @throws StageException when not even one sequence fits
     */
    public static MemoryPlan of(ServingSpec spec) {
        return spec.has(Accident.SEQUENCE_BLOCKS) ? asReference(spec) : byBlocks(spec);
    }

    private static MemoryPlan byBlocks(ServingSpec spec) {
        if (spec.scheduler() instanceof SchedulerSpec.VllmV1 engine
                && !engine.layers().isEmpty()) {
            return byGroups(spec, engine);
        }
        int stages = spec.cluster().pipelineStages();
        SchedulerSpec.Limits limits = spec.scheduler().limits();
        long parameters = spec.parametersPerDevice();
        long weights = spec.weightBytesPerDevice();
        double tokenBytes = spec.kvBytesPerToken(spec.layersPerStage());
        int perSequence = Math.toIntExact(((long) spec.maxTokens() + limits.blockSize() - 1) / limits.blockSize());
        long room = room(usableBytes(spec) - weights, tokenBytes, limits, perSequence);
        long kvBytes = (long) Math.ceil(tokenBytes * limits.blockSize() * perSequence);
        if (room < perSequence) {
            throw notEnough(spec, weights, kvBytes);
        }
        long slots = room / perSequence;
        long blocks = limits.numBlocks() > 0 ? limits.numBlocks() : room;
        long batch = Math.max(1, slots / stages);
        return plan(spec, parameters, kvBytes, batch, slots, blocks, perSequence);
    }

    /** Blocks in so many bytes. A model that caches nothing has enough for as many longest requests as may run. */
    private static long room(double bytes, double tokenBytes, SchedulerSpec.Limits limits, int perSequence) {
        if (tokenBytes > 0) {
            return (long) Math.floor(bytes / (tokenBytes * limits.blockSize()));
        }
        return bytes < 0 ? 0 : Math.min(MOST_BLOCKS, (long) perSequence * Math.max(1, limits.batchSizeCap()));
    }

    /** As vLLM divides memory among groups of layers that cache different parts of the context. */
    private static MemoryPlan byGroups(ServingSpec spec, SchedulerSpec.VllmV1 engine) {
        int stages = spec.cluster().pipelineStages();
        double usable = usableBytes(spec);
        KvSizing block = sizing(spec, engine, usable, 1);
        int perSequence = Math.toIntExact(KvSizing.blocksOf(
                engine.groups(), spec.maxTokens(), block.layout().tokensInFlight()));
        long kvBytes = block.bytesPerBlock() * perSequence;
        int chosen = (int) engine.limits().numBlocks();
        if (chosen == 0 && spec.weightBytesPerDevice() + (double) kvBytes > usable) {
            throw notEnough(spec, spec.weightBytesPerDevice(), kvBytes);
        }
        KvSizing sizing = sizing(spec, engine, usable, chosen);
        long slots = sizing.blocks() / perSequence;
        return plan(
                spec,
                spec.parametersPerDevice(),
                kvBytes,
                Math.max(1, slots / stages),
                slots,
                sizing.blocks(),
                perSequence);
    }

    private static KvSizing sizing(ServingSpec spec, SchedulerSpec.VllmV1 engine, double usable, int blocks) {
        int stages = spec.cluster().pipelineStages();
        long[] available = new long[stages];
        Arrays.fill(available, Math.max(0, (long) (usable - spec.weightBytesPerDevice())));
        return KvSizing.of(
                engine.layers(),
                available,
                new KvSizing.Settings(
                        spec.maxTokens(),
                        engine.settings(spec.maxTokens(), stages).tokensInFlight(),
                        stages,
                        false,
                        blocks));
    }

    /**
     * As the reference plans: all layers on every stage, made up for by a share of the sequences per stage, and blocks
     * of whole longest sequences, the tokens of a block that is not full left out.
     */
    private static MemoryPlan asReference(ServingSpec spec) {
        SchedulerSpec.Limits limits = spec.scheduler().limits();
        long parameters = spec.parametersPerDevice();
        long kvBytes = (long) Math.ceil(spec.kvBytesPerToken(spec.model().layers()) * spec.maxTokens());
        long fits = (long) Math.floor((usableBytes(spec) - 2.0 * parameters) / kvBytes);
        if (fits <= 0) {
            throw notEnough(spec, 2 * parameters, kvBytes);
        }
        int perSequence = spec.maxTokens() / limits.blockSize();
        long slots = fits * spec.cluster().pipelineStages();
        long blocks = limits.numBlocks() > 0 ? limits.numBlocks() : perSequence * slots;
        return plan(spec, parameters, kvBytes, fits, slots, blocks, perSequence);
    }

    private static MemoryPlan plan(
            ServingSpec spec, long parameters, long kvBytes, long fits, long slots, long blocks, int perSequence) {
        SchedulerSpec.Limits limits = spec.scheduler().limits();
        return new MemoryPlan(
                parameters,
                spec.weightBytesPerDevice(),
                kvBytes,
                fits,
                slots,
                blocks,
                perSequence,
                (int) Math.min(fits, limits.batchSizeCap()),
                limits.batchSizeCap() / spec.cluster().pipelineStages(),
                (long) (limits.watermark() * blocks));
    }

    /** Bytes of a device for weights and KV cache. */
    private static double usableBytes(ServingSpec spec) {
        ClusterSpec cluster = spec.cluster();
        double bytes = cluster.memoryGib() * BYTES_PER_GIB;
        return spec.scheduler()
                .memory()
                .map(memory -> memory.usable(bytes, spec.weightBytesPerDevice()))
                .orElse(bytes * (1 - cluster.memoryMargin()));
    }

    /**
     * Blocks of an engine, which are followed one by one.
     *
     * @throws StageException when there are more than can be
     */
    int followedBlocks(ClusterSpec cluster) {
        if (numBlocks > MOST_BLOCKS) {
            throw StageException.input(Problem.config(
                            cluster.memoryKey(),
                            String.format(
                                    Locale.ROOT,
                                    "leaves %,d KV blocks to an engine, expected at most %,d",
                                    numBlocks,
                                    MOST_BLOCKS))
                    .hint("lower it, or set scheduler.num_gpu_blocks_override where the stage has that"));
        }
        return (int) numBlocks;
    }

    /**
     * Memory that simulating the replicas takes, about.
     *
     * @throws StageException when there are more blocks than can be followed
     */
    public double simulatedBytes(ServingSpec spec) {
        double blocks = spec.scheduler() instanceof SchedulerSpec.VllmV1 ? followedBlocks(spec.cluster()) : 0;
        return spec.cluster().replicas() * (BYTES_A_REPLICA + blocks * BYTES_A_BLOCK);
    }

    /** Returns a warning if KV blocks that the settings state do not fit the memory of a device. */
    public Optional<String> excess(ServingSpec spec, String key) {
        double blocks = numBlocks * ((double) kvBytesPerRequest / blocksPerSequence);
        double room = Math.max(0, usableBytes(spec) - spec.weightBytesPerDevice());
        return blocks <= room
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%s: %,d KV blocks take %.1f GiB of each device, and weights leave %.1f GiB; the simulation runs"
                                + " with the stated blocks",
                        key,
                        numBlocks,
                        blocks / BYTES_PER_GIB,
                        room / BYTES_PER_GIB));
    }

    private static StageException notEnough(ServingSpec spec, long parameterBytes, long kvBytes) {
        ClusterSpec cluster = spec.cluster();
        Optional<SchedulerSpec.Memory> memory = spec.scheduler().memory();
        long adapters = memory.map(SchedulerSpec.Memory::adapterBytes).orElse(0L);
        String bound = memory.map(m -> m.key() + "=" + plain(m.share()))
                .orElse("a margin of " + plain(cluster.memoryMargin()));
        String room = memory.map(m -> "raise scheduler." + m.key() + ", lower")
                .orElse("lower cluster.memory_margin_fraction or");
        // without a single adapter it would fit
        long profiled = memory.map(SchedulerSpec.Memory::profiledBytes).orElse(0L);
        boolean isFilledByAdapters = adapters > 0 && parameterBytes + (double) kvBytes <= usableBytes(spec) + adapters;
        boolean isFilledByStep = profiled > 0 && parameterBytes + (double) kvBytes <= usableBytes(spec) + profiled;
        return StageException.input(Problem.config(
                        cluster.memoryKey(),
                        String.format(
                                Locale.ROOT,
                                "not enough memory for a single request: %.1f GiB with %s, %s%sweights %.1f GiB,"
                                        + " KV cache of one longest sequence %.2f GiB%s",
                                cluster.memoryGib(),
                                bound,
                                part("activations, libraries and graphs", profiled),
                                part("slots of LoRA adapters", adapters),
                                parameterBytes / BYTES_PER_GIB,
                                kvBytes / BYTES_PER_GIB,
                                leastDevices(spec, parameterBytes + (double) kvBytes)))
                .hint(
                        isFilledByAdapters
                                ? "lower scheduler.max_loras or scheduler.max_lora_rank: without adapters it fits"
                                : (isFilledByStep
                                                ? "lower scheduler.max_num_batched_tokens or scheduler.max_num_seqs, on"
                                                        + " which activations and graphs depend, "
                                                : "")
                                        + "raise cluster.tensor_parallel_size or cluster.num_pipeline_stages, " + room
                                        + " the workload's longest sequence, or choose hardware with more memory"));
    }

    /** Devices that hold the weights and one sequence if both divide evenly. */
    private static String leastDevices(ServingSpec spec, double bytesPerDevice) {
        double usable = usableBytes(spec);
        ClusterSpec cluster = spec.cluster();
        double devices = Math.ceil(bytesPerDevice * cluster.tensorParallel() * cluster.pipelineStages() / usable);
        return usable > 0 ? String.format(Locale.ROOT, "; at least %.0f such devices are needed", devices) : "";
    }

    private static String part(String what, long bytes) {
        return bytes == 0 ? "" : String.format(Locale.ROOT, "%s %.1f GiB, ", what, bytes / BYTES_PER_GIB);
    }

    private static String plain(double value) {
        return new BigDecimal(value)
                .round(new MathContext(4))
                .stripTrailingZeros()
                .toPlainString();
    }
}
