package dev.stagesim.sim.serving.spec;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvSizing;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The division of the memory of a device between weights and KV blocks.
 *
 * @param parametersPerDevice weights on one device
 * @param parameterBytes bytes of these weights
 * @param kvBytesPerRequest KV bytes of one sequence of the maximum length on one device
 * @param maxBatchFromMemory sequences of the maximum length in one batch, if every pipeline stage has a batch
 * @param requestSlots sequences of the maximum length in a replica
 * @param numBlocks KV blocks of a replica
 * @param blocksPerSequence blocks of one sequence of the maximum length
 * @param effectiveMaxBatch minimum of the memory limit and the configured cap
 * @param microBatch maximum number of requests in one batch
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

    /** Maximum number of blocks that a simulation tracks individually. */
    private static final long MAX_BLOCKS = 100_000_000;

    private static final double BYTES_PER_BLOCK = 20;
    private static final double BYTES_PER_REPLICA = 20_000;

    /**
     * Plans the memory.
     *
     * <p>A device stores the KV cache of the layers of its stage for all sequences of the replica. The number of blocks of a
     * replica is therefore the free bytes of a device after the weights, divided by the bytes of a block in those layers.
     *
     * @throws StageException if not even one sequence fits
     */
    public static MemoryPlan of(ServingSpec spec) {
        return spec.has(VidurQuirk.SEQUENCE_BLOCKS) ? asReference(spec) : byBlocks(spec);
    }

    /**
     * The memory that sequences of the maximum length need on a device.
     *
     * @param usableBytes bytes of the device for weights and KV cache
     * @param weightBytes bytes of the weights
     * @param blockBytes bytes of a KV block in the layers of the device
     * @param blocksPerSequence maximum blocks of one sequence
     * @param heldBlocks blocks of a decoding sequence; with attention windows less than the maximum, which a sequence
     *     reaches while the largest chunk of its prompt is in flight
     */
    public record Demand(
            double usableBytes, long weightBytes, double blockBytes, int blocksPerSequence, int heldBlocks) {
        /** Returns the KV bytes of one sequence. */
        long kvBytes() {
            return (long) Math.ceil(blockBytes * blocksPerSequence);
        }

        /**
         * Returns the blocks of {@code sequences} concurrent sequences. The engine starts a sequence only if its maximum fits,
         * so that one of them has it, and the others hold their windows.
         */
        public long blocks(long sequences) {
            return sequences == 0 ? 0 : blocksPerSequence + (sequences - 1) * heldBlocks;
        }

        /** Returns the maximum number of concurrent sequences in {@code blocks} blocks. */
        public long sequences(long blocks) {
            return blocks < blocksPerSequence ? 0 : 1 + (blocks - blocksPerSequence) / heldBlocks;
        }
    }

    /** Returns the memory that sequences of the maximum length need, whether it fits or not. */
    public static Demand demand(ServingSpec spec) {
        double usable = usableBytes(spec);
        long weights = spec.weightBytesPerDevice();
        if (spec.scheduler() instanceof SchedulerSpec.VllmV1 engine
                && !engine.layers().isEmpty()) {
            List<KvGroup> groups = engine.groups();
            return new Demand(
                    usable,
                    weights,
                    sizing(spec, engine, usable, 1).bytesPerBlock(),
                    Math.toIntExact(KvSizing.blocksOf(
                            groups, spec.maxTokens(), engine.settings().tokensInFlight())),
                    Math.toIntExact(KvSizing.blocksOf(
                            groups, spec.maxTokens(), engine.settings().decodeTokensInFlight())));
        }
        int size = spec.scheduler().limits().blockSize();
        int perSequence = Math.toIntExact(((long) spec.maxTokens() + size - 1) / size);
        return new Demand(
                usable, weights, spec.kvBytesPerToken(spec.layersPerStage()) * size, perSequence, perSequence);
    }

    private static MemoryPlan byBlocks(ServingSpec spec) {
        if (spec.scheduler() instanceof SchedulerSpec.VllmV1 engine
                && !engine.layers().isEmpty()) {
            return byGroups(spec, engine);
        }
        SchedulerSpec.Limits limits = spec.scheduler().limits();
        Demand demand = demand(spec);
        int perSequence = demand.blocksPerSequence();
        long room = room(demand, limits);
        if (room < perSequence) {
            throw notEnough(spec, demand);
        }
        return plan(spec, demand, room / perSequence, limits.numBlocks() > 0 ? limits.numBlocks() : room);
    }

    /**
     * Returns the blocks in the free bytes. A model without KV cache has enough blocks for the maximum number of
     * requests of the maximum length.
     */
    private static long room(Demand demand, SchedulerSpec.Limits limits) {
        double bytes = demand.usableBytes() - demand.weightBytes();
        if (demand.blockBytes() > 0) {
            return (long) Math.floor(bytes / demand.blockBytes());
        }
        return bytes < 0
                ? 0
                : Math.min(MAX_BLOCKS, (long) demand.blocksPerSequence() * Math.max(1, limits.batchSizeCap()));
    }

    /** Plans as vLLM does: groups of layers with different attention types share the memory. */
    private static MemoryPlan byGroups(ServingSpec spec, SchedulerSpec.VllmV1 engine) {
        Demand demand = demand(spec);
        int chosen = (int) engine.numBlocks();
        if (chosen == 0 && demand.weightBytes() + (double) demand.kvBytes() > demand.usableBytes()) {
            throw notEnough(spec, demand);
        }
        long blocks = sizing(spec, engine, demand.usableBytes(), chosen).blocks();
        return plan(spec, demand, demand.sequences(blocks), blocks);
    }

    private static MemoryPlan plan(ServingSpec spec, Demand demand, long slots, long blocks) {
        long batch = Math.max(1, slots / spec.cluster().pipelineStages());
        long parameters = spec.parametersPerDevice();
        return plan(spec, parameters, demand.kvBytes(), batch, slots, blocks, demand.blocksPerSequence());
    }

    private static KvSizing sizing(ServingSpec spec, SchedulerSpec.VllmV1 engine, double usable, int blocks) {
        int stages = spec.cluster().pipelineStages();
        long[] available = new long[stages];
        Arrays.fill(available, Math.max(0, (long) (usable - spec.weightBytesPerDevice())));
        return KvSizing.of(
                engine.layers(),
                available,
                new KvSizing.Settings(spec.maxTokens(), engine.settings().tokensInFlight(), stages, false, blocks));
    }

    /**
     * Plans as Vidur does: all layers on every stage, compensated by a share of the sequences per stage, and blocks for
     * whole sequences of the maximum length. The tokens of a partial block are dropped.
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

    /** Returns the bytes of a device for weights and KV cache. */
    private static double usableBytes(ServingSpec spec) {
        ClusterSpec cluster = spec.cluster();
        double bytes = cluster.memoryGib() * BYTES_PER_GIB;
        return spec.scheduler()
                .memory()
                .map(memory -> memory.usable(bytes, spec.weightBytesPerDevice()))
                .orElse(bytes * (1 - cluster.memoryMargin()));
    }

    /**
     * Returns the blocks of an engine, which are tracked individually.
     *
     * @throws StageException if there are more than the simulation can track
     */
    public int followedBlocks(ClusterSpec cluster) {
        if (numBlocks > MAX_BLOCKS) {
            throw StageException.input(Problem.config(
                            cluster.memoryKey(),
                            String.format(
                                    Locale.ROOT,
                                    "leaves %,d KV blocks to an engine, expected at most %,d",
                                    numBlocks,
                                    MAX_BLOCKS))
                    .hint("lower it, or set scheduler.num_gpu_blocks_override if the stage has this key"));
        }
        return (int) numBlocks;
    }

    /**
     * Returns the approximate memory of a simulation of the replicas, in bytes.
     *
     * @throws StageException if there are more blocks than the simulation can track
     */
    public double simulatedBytes(ServingSpec spec) {
        double blocks = spec.scheduler() instanceof SchedulerSpec.VllmV1 ? followedBlocks(spec.cluster()) : 0;
        return spec.cluster().replicas() * (BYTES_PER_REPLICA + blocks * BYTES_PER_BLOCK);
    }

    /** Returns a warning if the KV blocks of the settings do not fit the memory of a device. */
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

    private static StageException notEnough(ServingSpec spec, Demand demand) {
        return notEnough(spec, demand.weightBytes(), demand.kvBytes());
    }

    private static StageException notEnough(ServingSpec spec, long parameterBytes, long kvBytes) {
        ClusterSpec cluster = spec.cluster();
        Optional<SchedulerSpec.Memory> memory = spec.scheduler().memory();
        long adapters = memory.map(SchedulerSpec.Memory::adapterBytes).orElse(0L);
        String bound = memory.map(m -> m.key() + "=" + plain(m.share()))
                .orElse("a margin of " + plain(cluster.memoryMargin()));
        String room = memory.map(m -> "raise scheduler." + m.key() + ", lower")
                .orElse("lower cluster.memory_margin_fraction or");
        // it would fit with no adapters
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

    /** Returns the number of devices for the weights and one sequence if both divide evenly. */
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
