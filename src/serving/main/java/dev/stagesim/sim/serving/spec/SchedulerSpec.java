package dev.stagesim.sim.serving.spec;

import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvSizing;
import dev.stagesim.sim.serving.memory.LayerCache;
import dev.stagesim.sim.serving.policy.Acceptance;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.settings.SglangSettings;
import java.util.List;
import java.util.Optional;

/** The scheduler of a replica; one record for each policy. */
public interface SchedulerSpec {
    /** Returns the limits that all policies have. */
    Limits limits();

    /** Returns true if requests are restarted to free memory for others. */
    default boolean preempts() {
        return false;
    }

    /** Returns the memory that the scheduler uses; empty for the whole memory except the cluster's margin. */
    default Optional<Memory> memory() {
        return Optional.empty();
    }

    /**
     * The device memory that a scheduler uses, independent of the cluster's margin.
     *
     * @param key setting of the section {@code scheduler} that contains the share
     * @param share share of the device's memory that the engine uses; share of the free memory if {@code isOfFree}
     * @param isOfFree whether the share refers to the memory after weights, adapters and the profiled bytes
     * @param adapterBytes bytes of LoRA adapters
     * @param profiledBytes bytes of the peak of a step, libraries and CUDA graphs
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

    /**
     * A share of a device's memory for weights, KV cache and the profiled bytes, or of the free memory for the KV
     * cache.
     */
    record Share(double value, boolean isOfFree) {}

    /** Returns true if requests can select LoRA adapters. */
    default boolean servesAdapters() {
        return false;
    }

    /** Returns true if the priorities of requests determine their order. */
    default boolean ordersByPriority() {
        return false;
    }

    /** Returns the distribution of the context of a sequence over devices. */
    default ContextSharding contextSharding() {
        return ContextSharding.NONE;
    }

    /** Returns true if a request reserves the memory of the maximum sequence length at its start. */
    default boolean reservesSequences() {
        return false;
    }

    /** Returns the limit of prompts that must fit into one batch; empty if prompts of any length can run. */
    default Optional<PromptLimit> promptLimit() {
        return Optional.empty();
    }

    /** Returns the setting that limits the tokens of a step, as text. */
    default String tokenLimit() {
        return promptLimit().map(limit -> limit.key() + "=" + limit.tokens()).orElse("tokens of a step");
    }

    /**
     * The maximum length of a prompt.
     *
     * @param key setting of the section {@code scheduler} that contains it
     * @param tokens maximum number of tokens
     */
    record PromptLimit(String key, int tokens) {
        public boolean excludes(int prompt) {
            return prompt > tokens;
        }
    }

    /** Adds the problems of a cluster on which this scheduler cannot run. */
    default void check(ClusterSpec cluster, List<Problem> problems) {}

    /** Returns true if the scheduler supports several pipeline stages, all of which must have the same number of layers. */
    default boolean requiresEqualStages() {
        return true;
    }

    /** An engine with a prefix cache. It manages its blocks and restarts requests. */
    interface Engine extends SchedulerSpec {
        @Override
        default boolean preempts() {
            return true;
        }
    }

    /**
     * The limits of batches and KV blocks.
     *
     * @param batchSizeCap maximum number of requests that use memory; with one stage, also the maximum in a batch
     * @param blockSize tokens of a KV block
     * @param watermark fraction of the blocks that new requests must leave free
     * @param numBlocks KV blocks of a replica, or 0 if the memory planner determines them
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
            @Key("Admission watermark: fraction of KV blocks that new requests must leave free. | 0.01 | 0..1")
                    double watermarkBlocksFraction,
            @Key("KV blocks of a replica; null for the result of the memory planner. | null | blocks | 1..1000000000")
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
    }

    @Variant("sarathi | All decodes in every batch, and prefill chunks up to a token budget.")
    record Sarathi(
            @Key("Maximum concurrent sequences. | 128 | requests | 1..1000000") int batchSizeCap,
            @Key("Size of a KV block. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("Admission watermark: fraction of KV blocks that new requests must leave free. | 0.01 | 0..1")
                    double watermarkBlocksFraction,
            @Key("KV blocks of a replica; null for the result of the memory planner. | null | blocks | 1..1000000000")
                    Optional<Integer> numBlocks,
            @Key("Token budget of a batch, which prefill chunks fill up. | 512 | tokens | 1..1000000000") int chunkSize)
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
    }

    @Variant("orca | Prompts and decodes mixed; every request reserves the memory of the maximum sequence length.")
    record Orca(
            @Key("Maximum requests in a batch. | 128 | requests | 1..1000000") int batchSizeCap,
            @Key("Size of a KV block. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("KV blocks of a replica; null for the result of the memory planner. | null | blocks | 1..1000000000")
                    Optional<Integer> numBlocks)
            implements SchedulerSettings.OfVidur {
        public Orca(Limits limits) {
            this(limits.batchSizeCap(), limits.blockSize(), limits.planned());
        }

        @Override
        public boolean reservesSequences() {
            return true;
        }
    }

    @Variant("faster_transformer | Static batches that run until their last request is done.")
    record FasterTransformer(
            @Key("Maximum requests in a batch. | 128 | requests | 1..1000000") int batchSizeCap,
            @Key("Size of a KV block. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("KV blocks of a replica; null for the result of the memory planner. | null | blocks | 1..1000000000")
                    Optional<Integer> numBlocks)
            implements SchedulerSettings.OfVidur {
        public FasterTransformer(Limits limits) {
            this(limits.batchSizeCap(), limits.blockSize(), limits.planned());
        }

        @Override
        public boolean reservesSequences() {
            return true;
        }
    }

    /**
     * vLLM's V1 engine: prefill chunks mixed with decodes, a prefix cache, speculative decoding, asynchronous
     * scheduling.
     *
     * @param settings the settings of the scheduler
     * @param blockSize tokens of a KV block
     * @param numBlocks KV blocks of a replica, or 0 if the memory planner determines them
     * @param share share of a device's memory that the engine uses
     * @param profiledBytes bytes of it for the peak of a step, libraries and CUDA graphs
     * @param cachesPrefixes whether the prefix cache is on
     * @param acceptance number of accepted draft tokens
     * @param lora adapters
     * @param layers cache of each layer on a device; empty if all layers attend to the whole context
     * @param contextSharding distribution of the context of a sequence over devices; a block has tokens on all of them
     */
    record VllmV1(
            VllmSettings settings,
            int blockSize,
            long numBlocks,
            Share share,
            long profiledBytes,
            boolean cachesPrefixes,
            Acceptance acceptance,
            Lora lora,
            List<LayerCache> layers,
            ContextSharding contextSharding)
            implements Engine {
        public VllmV1 {
            layers = List.copyOf(layers);
        }

        @Override
        public Limits limits() {
            return new Limits(settings.maxNumSeqs(), blockSize, settings.watermark(), numBlocks);
        }

        @Override
        public boolean requiresEqualStages() {
            return false;
        }

        @Override
        public void check(ClusterSpec cluster, List<Problem> problems) {
            if (settings.pipelineStages() != cluster.pipelineStages()) {
                throw new IllegalArgumentException("a scheduler of " + settings.pipelineStages() + " stages");
            }
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
            return "max_num_batched_tokens=" + settings.tokens().batched();
        }

        @Override
        public boolean servesAdapters() {
            return lora.slots() > 0;
        }

        @Override
        public boolean ordersByPriority() {
            return settings.byPriority();
        }

        /** Returns the groups of layers that share blocks. */
        public List<KvGroup> groups() {
            return layers.isEmpty() ? List.of(KvGroup.full(blockSize)) : KvSizing.groups(layers);
        }
    }

    /**
     * The LoRA adapters of a replica.
     *
     * @param slots adapters in a device's memory, also the maximum in a step; 0 without adapters
     * @param slotBytes bytes of a slot on a device
     * @param loadSeconds time to fill a slot from host memory
     * @param readSeconds additional time of a step for each of its adapters
     */
    record Lora(int slots, long slotBytes, double loadSeconds, double readSeconds) {
        /** No adapters. */
        public static final Lora NONE = new Lora(0, 0, 0, 0);
    }

    /**
     * SGLang: prompts before decodes, a radix tree of cached prefixes, retraction of requests when memory runs out.
     *
     * @param memFractionStatic share of a device's memory for weights and cache
     * @param context maximum sequence length of the model, which determines the default limit of running requests
     * @param hasRequestLimit whether {@code limits} contains this limit
     * @param settings all other settings
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
        public boolean requiresEqualStages() {
            return false;
        }

        @Override
        public void check(ClusterSpec cluster, List<Problem> problems) {
            if (cluster.pipelineStages() != 1) {
                problems.add(Problem.config(
                                "cluster.num_pipeline_stages",
                                "is " + cluster.pipelineStages() + ", but the sglang scheduler supports one stage only")
                        .hint("set cluster.num_pipeline_stages=1, or use engine=vllm_v1"));
            }
        }

        /** Returns the maximum number of running requests with this memory plan. */
        public int maxRunning(MemoryPlan plan) {
            return hasRequestLimit
                    ? limits.batchSizeCap()
                    : SglangSettings.defaultRunning(plan.numBlocks() * limits.blockSize(), context);
        }
    }

    @Variant("lightllm | Memory counted in tokens; admits by a forecast of the running requests' peak.")
    record LightLlm(
            @Key("Maximum concurrent sequences. | 128 | requests | 1..1000000") int batchSizeCap,
            @Key("Size of a KV block; this scheduler requires 1. | 1 | tokens | 1..1000000000") int blockSize,
            @Key(
                            "Tokens of KV cache of a replica; null for the result of the memory planner. | null | tokens | 1..1000000000")
                    Optional<Integer> numBlocks,
            @Key("Maximum prompt tokens in a batch. | 4096 | tokens | 1..1000000000") int maxTokensInBatch,
            @Key("Decode steps between two attempts to admit waiting requests. | 10 | steps | 0..1000000000")
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
        public boolean requiresEqualStages() {
            return false;
        }

        @Override
        public void check(ClusterSpec cluster, List<Problem> problems) {
            if (blockSize() != 1) {
                problems.add(Problem.config(
                                "scheduler.block_size",
                                "is " + blockSize() + ", but the lightllm scheduler requires blocks of one token")
                        .hint("set scheduler.block_size=1"));
            }
            if (cluster.pipelineStages() != 1) {
                problems.add(Problem.config(
                                "cluster.num_pipeline_stages",
                                "is " + cluster.pipelineStages()
                                        + ", but the lightllm scheduler supports one stage only")
                        .hint("set cluster.num_pipeline_stages=1, or choose another scheduler"));
            }
        }
    }
}
