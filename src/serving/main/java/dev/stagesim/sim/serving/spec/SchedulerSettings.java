package dev.stagesim.sim.serving.spec;

import dev.stagesim.model.AllowedValues;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.settings.Speculation;
import java.util.List;
import java.util.Optional;

/** The section {@code scheduler}: how a replica forms its batches. There is one record per policy. */
public sealed interface SchedulerSettings
        permits SchedulerSettings.OfVidur, SchedulerSettings.VllmV1, SchedulerSettings.Sglang {
    /** Returns the maximum number of concurrent sequences. */
    int batchSizeCap();

    /** Returns the tokens of a KV block. */
    int blockSize();

    /** Returns the KV blocks of a replica, or empty if the memory planner determines them. */
    Optional<Integer> numBlocks();

    /** Returns the engine and version whose scheduling rules apply, or empty for a policy without versions. */
    default Optional<String> rulesOf() {
        return Optional.empty();
    }

    /** Returns the distribution of the context of a sequence over devices. */
    default ContextSharding contextSharding() {
        return ContextSharding.NONE;
    }

    /** Returns the number of engines of a replica. */
    int dataParallelSize();

    /** Returns true if each expert is on one device of a replica. */
    default boolean enableExpertParallel() {
        return false;
    }

    /** Returns the scheduler of a replica that runs batch by batch. */
    default SchedulerSpec spec() {
        throw StageException.input(Problem.config("scheduler.kind", "the built-in engine does not run this scheduler")
                .hint("use scheduler=sarathi here"));
    }

    /** A policy with the same keys as its scheduler. */
    sealed interface OfVidur extends SchedulerSettings, SchedulerSpec
            permits SchedulerSpec.Vllm,
                    SchedulerSpec.Sarathi,
                    SchedulerSpec.Orca,
                    SchedulerSpec.FasterTransformer,
                    SchedulerSpec.LightLlm {
        /** Returns the fraction of the blocks that new requests must leave free. */
        default double watermarkBlocksFraction() {
            return 0;
        }

        @Override
        default int dataParallelSize() {
            return 1;
        }

        @Override
        default SchedulerSpec spec() {
            return this;
        }

        @Override
        default Limits limits() {
            return new Limits(
                    batchSizeCap(),
                    blockSize(),
                    watermarkBlocksFraction(),
                    numBlocks().orElse(0));
        }

        @Override
        default ContextSharding contextSharding() {
            return ContextSharding.NONE;
        }
    }

    @Variant("vllm_v1 | vLLM's V1 engine, decision by decision: prefill chunks mixed with decodes, a prefix cache,"
            + " speculative decoding, asynchronous scheduling. Keys have the names of the engine's options.")
    record VllmV1(
            @Key("Version whose rules of scheduling and caching apply. | 0.33") VllmRules version,
            @Key(
                            "Maximum requests in a step; null for the engine's default on the device. | null | requests | 1..1000000")
                    Optional<Integer> maxNumSeqs,
            @Key(
                            "Maximum tokens in a step; null for the engine's default on the device. | null | tokens | 1..1000000000")
                    Optional<Integer> maxNumBatchedTokens,
            @Unwrapped VllmMemory memory,
            @Unwrapped VllmAdmission admission,
            @Key(
                            "Whether layers with windowed or chunked attention also cache the whole context; no effect on other models. | false")
                    boolean disableHybridKvCacheManager,
            @Unwrapped ContextSplit context,
            @Unwrapped LockstepEngines engines,
            @Unwrapped LoraSettings lora,
            @Key("Speculative decoding. | {}") Speculative speculative)
            implements SchedulerSettings {
        /** Returns true for TensorRT-LLM, which divides the memory that a step leaves free. */
        public boolean isTensorRt() {
            return memory.freeGpuMemoryFraction().isPresent();
        }

        @Override
        public int blockSize() {
            return memory.blockSize();
        }

        /** Plan of the device's memory, and the KV cache. */
        public record VllmMemory(
                @Key("Size of a KV block. | 16 | tokens | 1..1000000000") int blockSize,
                @Key("Share of the device's memory that the engine uses: weights, the peak of a step, libraries,"
                                + " CUDA graphs, and the KV cache in the rest. | 0.92 | 0.000001..1")
                        @OnlyIf(
                                "free_gpu_memory_fraction = null | scheduler.free_gpu_memory_fraction divides the memory")
                        double gpuMemoryUtilization,
                @Key(
                                "KV cache as a share of the memory that weights and the peak of a step leave free, as TensorRT-LLM"
                                        + " plans memory; null to plan with scheduler.gpu_memory_utilization. | null | 0.000001..1")
                        Optional<Double> freeGpuMemoryFraction,
                @Key("How the sampler finds the most likely tokens, which determines the peak of a step. | select")
                        ProfiledSampler profiledSampler,
                @Key("Whether memory is reserved for CUDA graphs, as vLLM does since 0.21. | true")
                        boolean estimateGraphMemory,
                @Key(
                                "KV blocks of a replica, including the null block; null for as many as fit the memory. | null | blocks | 2..10000000")
                        Optional<Integer> numGpuBlocksOverride,
                @Key("Whether requests reuse the KV cache of other requests with the same prefix. | true")
                        boolean enablePrefixCaching) {}

        /** Admission and scheduling of requests. */
        public record VllmAdmission(
                @Key("Whether a prompt can be computed in chunks. | true") boolean enableChunkedPrefill,
                @Key("Maximum tokens of one request in a step; 0 for no limit. | 0 | tokens | 0..1000000000")
                        int longPrefillTokenThreshold,
                @Key(
                                "Whether this maximum is raised to the step's token budget divided by the number of requests, an option since vLLM 0.31."
                                        + " | false")
                        @OnlyIf("long_prefill_token_threshold > 0 | there is no maximum with"
                                + " scheduler.long_prefill_token_threshold=0")
                        boolean longPrefillTokenThresholdAdaptive,
                @Key(
                                "Maximum number of running requests, if less than the maximum of a step; an option since vLLM 0.31."
                                        + " | null | requests | 1..1000000")
                        @OnlyIf("version = 0.33 | vLLM 0.28 does not have it")
                        Optional<Integer> maxNumActiveSeqs,
                @Key("Share of the KV blocks that new requests must leave free. | 0 | 0..1") double watermark,
                @Key("Whether a prompt is admitted only if the whole prompt fits. | true")
                        boolean schedulerReserveFullIsl,
                @Key(
                                "Whether a step is planned before the result of the last one is known; null for true except for n-gram"
                                        + " drafts and on processors. | null")
                        Optional<Boolean> asyncScheduling,
                @Key("Generation of the engine's model runner. | 2 | 1..2") int modelRunner,
                @Key("Order in which requests are scheduled; the last request is preempted first. | fcfs")
                        SchedulingPolicy schedulingPolicy) {}

        /** Devices that split the context of a sequence. */
        public record ContextSplit(
                @Key(
                                "Devices of a tensor-parallel group that split the context of a sequence; without this split, they would store"
                                        + " copies of the same heads. | 1 | devices | 1..1024")
                        int decodeContextParallelSize,
                @Key(
                                "Tensor-parallel groups that share every prompt and split its context; each group uses separate devices."
                                        + " | 1 | groups | 1..1024")
                        int prefillContextParallelSize,
                @Key(
                                "Number of consecutive tokens on one of the devices that split a context. | 1 | tokens | 1..1000000000")
                        int cpKvCacheInterleaveSize) {}

        /** Engines of a replica in lockstep. */
        public record LockstepEngines(
                @Key(
                                "Engines of a replica, each with its own devices, requests and cache; engines of a mixture of experts"
                                        + " share the experts and run every step together. | 1 | engines | 1..1024")
                        int dataParallelSize,
                @Key("Whether each expert is on one device of a replica, not spread over all of them. | false")
                        boolean enableExpertParallel,
                @Key(
                                "Only every n-th step may start prompts: n, for engines in lockstep and, since 0.33, for single engines."
                                        + " Prompts are not deferred while other prompts wait or no request decodes."
                                        + " | 1 | steps | 1..1000000000")
                        int prefillScheduleInterval) {}

        /** LoRA adapters. */
        public record LoraSettings(
                @Key("Whether LoRA adapters are served. | false") boolean enableLora,
                @Key("Number of adapters in a device's memory, which is also the maximum in a step. | 1 | 1..10000")
                        @OnlyIf("enable_lora = true | no adapters are served with scheduler.enable_lora=false")
                        int maxLoras,
                @Key("Maximum rank of an adapter; every slot has this size. | 16 | 1..512")
                        @OnlyIf("enable_lora = true | no adapters are served with scheduler.enable_lora=false")
                        int maxLoraRank) {}

        @Override
        public Optional<String> rulesOf() {
            return Optional.of("vLLM " + version.id());
        }

        @Override
        public int dataParallelSize() {
            return engines.dataParallelSize();
        }

        @Override
        public boolean enableExpertParallel() {
            return engines.enableExpertParallel();
        }

        /** How the sampler finds the most likely tokens. */
        public enum ProfiledSampler {
            SELECT, // without sorting, since vLLM 0.17
            SORT // by sorting all logits, until vLLM 0.16
        }

        /** The scheduling order of requests; the last request is preempted first. */
        public enum SchedulingPolicy {
            FCFS, // arrival order only
            PRIORITY // priority, then arrival
        }

        /** Speculative decoding. */
        public record Speculative(
                @Key("Method that proposes the draft tokens; none disables drafts, like num_tokens=0. | eagle")
                        @OnlyIf(
                                value = "num_tokens > 0 | scheduler.speculative.num_tokens=0 disables drafts | set"
                                        + " scheduler.speculative.num_tokens=3",
                                except = "none")
                        @AllowedValues({"none", "ngram", "eagle", "eagle3", "mtp", "draft_model"})
                        Speculation.Method method,
                @Key("Draft tokens per request and step; 0 for none. | 0 | tokens | 0..64") int numTokens,
                @Key("Probability that a draft token is accepted if the previous ones are, by position; the last"
                                + " value applies to later positions. Empty for the published rates of the method: eagle [0.64] and eagle3"
                                + " [0.77] (2.30 and 2.81 tokens per step with 3 drafts on MT-bench in vLLM's tests), mtp"
                                + " [0.85, 0.77] (DeepSeek-V3 report, arXiv 2412.19437; 3.0 tokens per step with 3 drafts of"
                                + " GLM-5.2), draft_model [0.55] and ngram [0.43] (mean accepted tokens of Spec-Bench)."
                                + " | [] | 0..1")
                        @OnlyIf("num_tokens > 0 | scheduler.speculative.num_tokens=0 disables drafts | set"
                                + " scheduler.speculative.num_tokens=3")
                        List<Double> acceptance,
                @Key("Share of the steps after which the text contains a matching n-gram. | 1 | 0..1")
                        @OnlyIf("method = ngram | other methods always make drafts | set"
                                + " scheduler.speculative.method=ngram")
                        double hitRate,
                @Key("Card of the draft model. | null")
                        @OnlyIf("method = draft_model | other methods draft without another model | set"
                                + " scheduler.speculative.method=draft_model")
                        Optional<ModelCard> draftModel,
                @Key(
                                "Time of a pass of the draft model as a share of a pass of the target model, if there is no card of"
                                        + " the draft model. | null | 0.000001..1")
                        @OnlyIf("method = draft_model | other methods draft without another model | set"
                                + " scheduler.speculative.method=draft_model")
                        Optional<Double> draftShare,
                @Key("Recorded numbers of accepted draft tokens per step, such as \"2 0 3\": one string per request,"
                                + " repeated at its end; [] to draw them at random. | []")
                        @OnlyIf("num_tokens > 0 | scheduler.speculative.num_tokens=0 disables drafts | set"
                                + " scheduler.speculative.num_tokens=3")
                        List<String> accepted) {
            public Speculative {
                numTokens = method == Speculation.Method.NONE ? 0 : numTokens;
                acceptance = List.copyOf(acceptance);
                accepted = List.copyOf(accepted);
                for (String list : accepted) {
                    if (!list.matches("\\d{1,3}( \\d{1,3})*")) {
                        throw new IllegalArgumentException("scheduler.speculative.accepted: '" + list
                                + "' must be a list of numbers such as 2 0 3");
                    }
                }
            }
        }

        @Override
        public ContextSharding contextSharding() {
            return new ContextSharding(
                    context.decodeContextParallelSize(),
                    context.prefillContextParallelSize(),
                    context.cpKvCacheInterleaveSize());
        }

        @Override
        public int batchSizeCap() {
            return maxNumSeqs.orElse(MIN_DEFAULT_SEQS);
        }

        @Override
        public Optional<Integer> numBlocks() {
            return memory.numGpuBlocksOverride();
        }

        private static final int MIN_DEFAULT_SEQS = 256;
    }

    @Variant("sglang | SGLang's engine: prompts before decodes, a radix tree of cached prefixes, and retraction of"
            + " requests when memory runs out. Keys have the names of the engine's options.")
    record Sglang(
            @Key("Version whose rules of scheduling and caching apply. | 0.5.23") SglangRules version,
            @Key(
                            "Maximum number of running requests; null for the engine's default by memory and context. | null | requests | 1..1000000")
                    Optional<Integer> maxRunningRequests,
            @Key(
                            "Maximum prompt tokens of a step with chunked prompts; -1 for whole prompts, null for the engine's default on the"
                                    + " device. | null | tokens | -1..1000000000")
                    Optional<Integer> chunkedPrefillSize,
            @Key("Maximum prompt tokens of a step with whole prompts. | 16384 | tokens | 1..1000000000")
                    int maxPrefillTokens,
            @Unwrapped SglangMemory memory,
            @Key("Order in which waiting requests are considered for admission. | fcfs")
                    @AllowedValues({"fcfs", "lpm", "dfs_weight", "hrrn", "shortest_prefill_first", "lof", "random"})
                    SchedulePolicy schedulePolicy,
            @Key(
                            "Factor on the share of the remaining output tokens for which admission reserves memory. | 1 | 0.000001..1000000")
                    double scheduleConservativeness,
            @Unwrapped SglangCache cache,
            @Unwrapped AttentionEngines engines,
            @Key("Whether steps with prompts also contain decodes. | false") boolean enableMixedChunk,
            @Key("Whether a step is planned only after the result of the last one is known. | false")
                    boolean disableOverlapSchedule,
            @Key("Output limit that requests specify; null for their actual output."
                            + " | null | tokens | 1..1000000000")
                    Optional<Integer> maxNewTokens)
            implements SchedulerSettings {
        /** KV cache and its share of the device's memory. */
        public record SglangMemory(
                @Key("Size of a page of KV cache. | 1 | tokens | 1..1000000000") int pageSize,
                @Key(
                                "Share of the device's memory for weights and KV cache; null for the engine's default on the device."
                                        + " | null | 0.000001..1")
                        Optional<Double> memFractionStatic,
                @Key("KV cache of a replica; null for as many as fit the memory. | null | tokens | 2..1000000000")
                        Optional<Integer> maxTotalTokens) {}

        /** Engines of a replica that share the experts, as with DP attention. */
        public record AttentionEngines(
                @Key(
                                "Engines of a replica, each with its own devices, requests and cache; engines of a mixture of experts"
                                        + " share the experts and run every step together, as with --attn-dp-size. | 1 | engines | 1..1024")
                        int dataParallelSize,
                @Key(
                                "Whether each expert is on one device of a replica, not spread over all of them, as with --ep-size."
                                        + " | false")
                        boolean enableExpertParallel) {}

        /** Prefix cache. */
        public record SglangCache(
                @Key("Whether the prefix cache is off. | false") boolean disableRadixCache,
                @Key("Eviction policy of the prefix cache. | lru")
                        @OnlyIf(
                                "disable_radix_cache = false | nothing is cached with scheduler.disable_radix_cache=true")
                        @AllowedValues({"lru", "lfu", "fifo", "mru", "filo", "slru", "tlru"})
                        RadixTree.Eviction radixEvictionPolicy,
                @Key("Settings of the eviction policy. | {}") EvictionConfig radixEvictionPolicyConfig) {}

        /** The settings of the eviction policies slru and tlru. */
        public record EvictionConfig(
                @Key("Number of uses after which an entry is protected. | 2 | 1..1000000")
                        @OnlyIf("scheduler.radix_eviction_policy = slru | only slru protects entries")
                        int protectedThreshold,
                @Key(
                                "Prompt tokens that can be computed within the TTFT target. Cached tokens beyond the length of a"
                                        + " conversation plus the next prompt, minus this number, are evicted first. | 0 | tokens | 0..1000000000")
                        @OnlyIf("scheduler.radix_eviction_policy = tlru | only tlru has a budget")
                        int threshold,
                @Key("Expected tokens of the next prompt of a conversation. | 0 | tokens | 0..1000000000")
                        @OnlyIf("scheduler.radix_eviction_policy = tlru | only tlru has a budget")
                        int nextPromptEstimate) {}

        @Override
        public Optional<String> rulesOf() {
            return Optional.of("SGLang " + version.id());
        }

        /** Returns the eviction policy with the rules of the version. */
        public RadixTree.EvictionRule eviction() {
            boolean isTlru = cache.radixEvictionPolicy() == RadixTree.Eviction.TLRU;
            return new RadixTree.EvictionRule(
                    cache.radixEvictionPolicy(),
                    isTlru
                            ? cache.radixEvictionPolicyConfig().threshold()
                            : cache.radixEvictionPolicyConfig().protectedThreshold(),
                    cache.radixEvictionPolicyConfig().nextPromptEstimate(),
                    version);
        }

        private static final int MAX_RUNNING = 4096;

        @Override
        public int batchSizeCap() {
            return maxRunningRequests.orElse(MAX_RUNNING);
        }

        @Override
        public int blockSize() {
            return memory.pageSize();
        }

        @Override
        public int dataParallelSize() {
            return engines.dataParallelSize();
        }

        @Override
        public boolean enableExpertParallel() {
            return engines.enableExpertParallel();
        }

        @Override
        public Optional<Integer> numBlocks() {
            return memory.maxTotalTokens().map(tokens -> tokens / memory.pageSize());
        }
    }
}
