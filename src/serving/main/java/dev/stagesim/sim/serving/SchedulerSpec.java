package dev.stagesim.sim.serving;

import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvSizing;
import dev.stagesim.sim.serving.memory.LayerCache;
import dev.stagesim.sim.serving.policy.Acceptance;
import dev.stagesim.sim.serving.policy.SglangSettings;
import dev.stagesim.sim.serving.policy.Speculation;
import dev.stagesim.sim.serving.policy.VllmSettings;
import java.util.List;
import java.util.Optional;

/** The scheduler inside a replica; one record for each policy. */
public interface SchedulerSpec {
    /** What all policies share. */
    Limits limits();

    /** Whether requests are restarted to make room for others. */
    default boolean preempts() {
        return false;
    }

    /** What it takes of a device's memory; empty for all but the cluster's margin. */
    default Optional<Memory> memory() {
        return Optional.empty();
    }

    /**
     * What a scheduler takes of a device's memory, whatever margin the cluster leaves.
     *
     * @param key setting of the section {@code scheduler} that says how much
     * @param share share of the device's memory that the engine takes; of the memory that nothing else needs, if
     *     {@code isOfFree}
     * @param isOfFree whether the share is of the memory beside weights, adapters and the profiled bytes
     * @param adapterBytes bytes of LoRA adapters
     * @param profiledBytes bytes for the peak of a step, libraries and captured graphs
     */
    record Memory(String key, double share, boolean isOfFree, long adapterBytes, long profiledBytes) {
        /** Returns the bytes of a device for weights and KV cache. */
        double usable(double deviceBytes, long weightBytes) {
            long rest = adapterBytes + profiledBytes;
            return isOfFree
                    ? weightBytes + Math.floor(share * (deviceBytes - rest - weightBytes))
                    : Math.ceil(deviceBytes * share) - rest;
        }
    }

    /** A share of a device's memory for weights, KV cache and the profiled bytes, or of the free memory for the KV cache. */
    record Share(double value, boolean isOfFree) {}

    /** Whether requests can ask for LoRA adapters. */
    default boolean servesAdapters() {
        return false;
    }

    /** Whether the requests' priorities decide which runs first. */
    default boolean ordersByPriority() {
        return false;
    }

    /** How the context of a sequence is spread over devices. */
    default ContextSharding contextSharding() {
        return ContextSharding.NONE;
    }

    /** Whether a request holds memory for the longest sequence from the start. */
    default boolean reservesSequences() {
        return false;
    }

    /** The bound on prompts that must fit a batch whole; empty where a prompt of any length runs. */
    default Optional<PromptLimit> promptLimit() {
        return Optional.empty();
    }

    /** The setting that bounds the tokens of a step, for people. */
    default String tokenLimit() {
        return promptLimit().map(limit -> limit.key() + "=" + limit.tokens()).orElse("tokens of a step");
    }

    /**
     * Tokens of the longest prompt that can ever run.
     *
     * @param key setting of the section {@code scheduler} that says so
     * @param tokens that many
     */
    record PromptLimit(String key, int tokens) {
        boolean excludes(int prompt) {
            return prompt > tokens;
        }
    }

    /** Finds what of the cluster it cannot run on. */
    default void check(ClusterSpec cluster, List<Problem> problems) {}

    /** The scheduler of one replica, in blocks that it counts. */
    ReplicaScheduler scheduler(ReplicaScheduler.Parts parts);

    /** An engine of today: it has a prefix cache, counts its blocks itself, and restarts requests. */
    interface Engine extends SchedulerSpec {
        @Override
        default boolean preempts() {
            return true;
        }

        @Override
        default ReplicaScheduler scheduler(ReplicaScheduler.Parts parts) {
            throw new IllegalArgumentException(this + " does not count its blocks");
        }
    }

    /**
     * Limits of batches and KV blocks.
     *
     * @param batchSizeCap most requests that hold memory, and with one stage most in a batch
     * @param blockSize tokens of a KV block
     * @param watermark fraction of the blocks that new requests must leave free
     * @param numBlocks KV blocks of a replica; 0 lets the memory planner say
     */
    record Limits(int batchSizeCap, int blockSize, double watermark, long numBlocks) {
        private Optional<Integer> planned() {
            return numBlocks == 0 ? Optional.empty() : Optional.of(Math.toIntExact(numBlocks));
        }
    }

    @Variant("vllm | Whole prompts first, then decodes; restarts the latest request when memory runs out.")
    record Vllm(
            @Key("Maximum concurrent sequences. | 128 | requests | 1..1000000") int batchSizeCap,
            @Key("Size of a KV block. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("Admission watermark: fraction of KV blocks that new requests leave free. | 0.01 | 0..1")
                    double watermarkBlocksFraction,
            @Key("KV blocks of a replica; null for what the memory planner finds. | null | blocks | 1..1000000000")
                    Optional<Integer> numBlocks,
            @Key("Maximum prompt tokens in a batch, each prompt padded to the longest. | 4096 | tokens | 1..1000000000")
                    int maxTokensInBatch)
            implements SchedulerSettings.OfVidur {
        public Vllm(Limits limits, int maxTokensInBatch) {
            this(limits.batchSizeCap(), limits.blockSize(), limits.watermark(), limits.planned(), maxTokensInBatch);
        }

        @Override
        public boolean preempts() {
            return true;
        }

        @Override
        public Optional<PromptLimit> promptLimit() {
            return Optional.of(new PromptLimit("max_tokens_in_batch", maxTokensInBatch));
        }

        @Override
        public ReplicaScheduler scheduler(ReplicaScheduler.Parts parts) {
            return new VllmScheduler(parts, this);
        }
    }

    @Variant("sarathi | All decodes, and chunks of prompts up to a token budget, in every batch.")
    record Sarathi(
            @Key("Maximum concurrent sequences. | 128 | requests | 1..1000000") int batchSizeCap,
            @Key("Size of a KV block. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("Admission watermark: fraction of KV blocks that new requests leave free. | 0.01 | 0..1")
                    double watermarkBlocksFraction,
            @Key("KV blocks of a replica; null for what the memory planner finds. | null | blocks | 1..1000000000")
                    Optional<Integer> numBlocks,
            @Key("Token budget of a batch that chunks of prompts fill up. | 512 | tokens | 1..1000000000")
                    int chunkSize)
            implements SchedulerSettings.OfVidur {
        public Sarathi(Limits limits, int chunkSize) {
            this(limits.batchSizeCap(), limits.blockSize(), limits.watermark(), limits.planned(), chunkSize);
        }

        @Override
        public boolean preempts() {
            return true;
        }

        @Override
        public String tokenLimit() {
            return "chunk_size=" + chunkSize;
        }

        @Override
        public ReplicaScheduler scheduler(ReplicaScheduler.Parts parts) {
            return new SarathiScheduler(parts, this);
        }
    }

    @Variant("orca | Prompts and decodes mixed; every request reserves the longest sequence's memory.")
    record Orca(
            @Key("Maximum requests in a batch. | 128 | requests | 1..1000000") int batchSizeCap,
            @Key("Size of a KV block. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("KV blocks of a replica; null for what the memory planner finds. | null | blocks | 1..1000000000")
                    Optional<Integer> numBlocks)
            implements SchedulerSettings.OfVidur {
        public Orca(Limits limits) {
            this(limits.batchSizeCap(), limits.blockSize(), limits.planned());
        }

        @Override
        public boolean reservesSequences() {
            return true;
        }

        @Override
        public ReplicaScheduler scheduler(ReplicaScheduler.Parts parts) {
            return new OrcaScheduler(parts);
        }
    }

    @Variant("faster_transformer | Static batches that run until their last request is done.")
    record FasterTransformer(
            @Key("Maximum requests in a batch. | 128 | requests | 1..1000000") int batchSizeCap,
            @Key("Size of a KV block. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("KV blocks of a replica; null for what the memory planner finds. | null | blocks | 1..1000000000")
                    Optional<Integer> numBlocks)
            implements SchedulerSettings.OfVidur {
        public FasterTransformer(Limits limits) {
            this(limits.batchSizeCap(), limits.blockSize(), limits.planned());
        }

        @Override
        public boolean reservesSequences() {
            return true;
        }

        @Override
        public ReplicaScheduler scheduler(ReplicaScheduler.Parts parts) {
            return new FasterTransformerScheduler(parts);
        }
    }

    /**
     * vLLM's V1 engine: chunks of prompts beside decodes, a prefix cache, drafts, steps planned ahead.
     *
     * @param share share of a device's memory that the engine uses
     * @param profiledBytes bytes of it for the peak of a step, libraries and captured graphs
     * @param maxBatchedTokens most tokens of a step
     * @param longPrefillThreshold most tokens of one request in a step, 0 for no such bound
     * @param chunkedPrefill whether a prompt can be admitted in parts
     * @param reservesPrompt whether the whole prompt must fit at admission
     * @param isAsync whether a step is planned before the result of the last one is known
     * @param modelRunner generation of the model runner
     * @param cachesPrefixes whether blocks can be found again
     * @param speculation drafts
     * @param acceptance how many drafts are right
     * @param byPriority whether the requests' priorities decide, not arrival alone
     * @param lora adapters
     * @param layers what each layer caches on a device; empty where all are alike and attend to everything
     * @param contextSharding how the context of a sequence is spread over devices; a block has tokens on all of them
     */
    record VllmV1(
            Limits limits,
            Share share,
            long profiledBytes,
            int maxBatchedTokens,
            int longPrefillThreshold,
            boolean chunkedPrefill,
            boolean reservesPrompt,
            boolean isAsync,
            int modelRunner,
            boolean cachesPrefixes,
            Speculation speculation,
            Acceptance acceptance,
            boolean byPriority,
            Lora lora,
            List<LayerCache> layers,
            ContextSharding contextSharding)
            implements Engine {
        public VllmV1 {
            layers = List.copyOf(layers);
        }

        /** The settings of the scheduler for sequences of at most so many tokens and so many pipeline stages. */
        VllmSettings settings(int maxTokens, int stages) {
            return new VllmSettings(
                    maxTokens,
                    limits.batchSizeCap(),
                    maxBatchedTokens,
                    maxBatchedTokens,
                    longPrefillThreshold,
                    chunkedPrefill,
                    byPriority,
                    limits.watermark(),
                    reservesPrompt,
                    isAsync,
                    stages,
                    modelRunner,
                    lora.slots(),
                    maxBatchedTokens,
                    speculation);
        }

        @Override
        public Optional<Memory> memory() {
            return Optional.of(new Memory(
                    share.isOfFree() ? "free_gpu_memory_fraction" : "gpu_memory_utilization",
                    share.value(),
                    share.isOfFree(),
                    lora.slots() * lora.slotBytes(),
                    profiledBytes));
        }

        @Override
        public String tokenLimit() {
            return "max_num_batched_tokens=" + maxBatchedTokens;
        }

        @Override
        public boolean servesAdapters() {
            return lora.slots() > 0;
        }

        @Override
        public boolean ordersByPriority() {
            return byPriority;
        }

        /** The groups of layers that share blocks. */
        public List<KvGroup> groups() {
            return layers.isEmpty() ? List.of(KvGroup.full(limits.blockSize())) : KvSizing.groups(layers);
        }
    }

    /**
     * LoRA adapters of a replica.
     *
     * @param slots adapters in a device's memory, and most in a step; 0 without adapters
     * @param slotBytes bytes of a slot on a device
     * @param loadSeconds time to fill a slot from the host's memory
     * @param readSeconds time that a step takes for each of its adapters
     */
    record Lora(int slots, long slotBytes, double loadSeconds, double readSeconds) {
        /** No adapters. */
        public static final Lora NONE = new Lora(0, 0, 0, 0);
    }

    /**
     * SGLang: prompts before decodes, a radix tree of cached prefixes, requests retracted when memory runs out.
     *
     * @param memFractionStatic share of a device's memory for weights and cache
     * @param context longest sequence of the model, of which the engine's bound on running requests depends where none is set
     * @param hasRequestLimit whether {@code limits} has such a bound
     * @param settings all else
     */
    record Sglang(
            Limits limits, double memFractionStatic, int context, boolean hasRequestLimit, SglangSettings settings)
            implements Engine {
        @Override
        public Optional<Memory> memory() {
            return Optional.of(new Memory("mem_fraction_static", memFractionStatic, false, 0, 0));
        }

        @Override
        public String tokenLimit() {
            return settings.chunkedPrefillSize() > 0
                    ? "chunked_prefill_size=" + settings.chunkedPrefillSize()
                    : "max_prefill_tokens=" + settings.maxPrefillTokens();
        }

        @Override
        public void check(ClusterSpec cluster, List<Problem> problems) {
            if (cluster.pipelineStages() != 1) {
                problems.add(Problem.config(
                                "cluster.num_pipeline_stages",
                                "is " + cluster.pipelineStages()
                                        + ", but the sglang scheduler is simulated with one only")
                        .hint("set cluster.num_pipeline_stages=1, or use engine=vllm_v1"));
            }
        }

        /** Maximum requests that run with this plan of memory. */
        public int maxRunning(MemoryPlan plan) {
            return hasRequestLimit
                    ? limits.batchSizeCap()
                    : SglangSettings.usualRunning(plan.numBlocks() * limits.blockSize(), context);
        }
    }

    @Variant("lightllm | Memory counted in tokens; admits by a forecast of the running requests' peak.")
    record LightLlm(
            @Key("Maximum concurrent sequences. | 128 | requests | 1..1000000") int batchSizeCap,
            @Key("Size of a KV block; this scheduler takes 1 only. | 1 | tokens | 1..1000000000") int blockSize,
            @Key(
                            "Tokens of KV cache of a replica; null for what the memory planner finds. | null | tokens | 1..1000000000")
                    Optional<Integer> numBlocks,
            @Key("Maximum prompt tokens in a batch. | 4096 | tokens | 1..1000000000") int maxTokensInBatch,
            @Key("Decode steps after which waiting requests are looked at again. | 10 | steps | 0..1000000000")
                    int maxWaitingIters)
            implements SchedulerSettings.OfVidur {
        public LightLlm(Limits limits, int maxTokensInBatch, int maxWaitingIters) {
            this(limits.batchSizeCap(), limits.blockSize(), limits.planned(), maxTokensInBatch, maxWaitingIters);
        }

        @Override
        public Optional<PromptLimit> promptLimit() {
            return Optional.of(new PromptLimit("max_tokens_in_batch", maxTokensInBatch));
        }

        @Override
        public void check(ClusterSpec cluster, List<Problem> problems) {
            if (blockSize() != 1) {
                problems.add(Problem.config(
                                "scheduler.block_size",
                                "is " + blockSize() + ", but the lightllm scheduler counts memory in single tokens")
                        .hint("set scheduler.block_size=1"));
            }
            if (cluster.pipelineStages() != 1) {
                problems.add(Problem.config(
                                "cluster.num_pipeline_stages",
                                "is " + cluster.pipelineStages() + ", but the lightllm scheduler knows one stage only")
                        .hint("set cluster.num_pipeline_stages=1, or choose another scheduler"));
            }
        }

        @Override
        public ReplicaScheduler scheduler(ReplicaScheduler.Parts parts) {
            return new LightLlmScheduler(parts, this);
        }
    }
}
