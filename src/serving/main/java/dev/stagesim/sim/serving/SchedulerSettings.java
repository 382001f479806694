package dev.stagesim.sim.serving;

import dev.stagesim.model.AllowedValues;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Variant;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.policy.QueueOrder;
import dev.stagesim.sim.serving.policy.Speculation;
import java.util.List;
import java.util.Optional;

/** How a replica forms its batches: the section {@code scheduler}. One record for each policy. */
public sealed interface SchedulerSettings
        permits SchedulerSettings.OfVidur, SchedulerSettings.VllmV1, SchedulerSettings.Sglang {
    /** Maximum concurrent sequences. */
    int batchSizeCap();

    /** Tokens of a KV block. */
    int blockSize();

    /** KV blocks of a replica; empty lets the memory planner say. */
    Optional<Integer> numBlocks();

    /** How the context of a sequence is spread over devices. */
    default ContextSharding contextSharding() {
        return ContextSharding.NONE;
    }

    /** Engines of a replica. */
    default int dataParallelSize() {
        return 1;
    }

    /** The scheduler of a replica that runs batch by batch. */
    default SchedulerSpec spec() {
        throw StageException.input(Problem.config("scheduler.kind", "the built-in engine does not run this scheduler")
                .hint("use scheduler=sarathi here"));
    }

    /** A policy whose keys are all that its scheduler needs to know. */
    sealed interface OfVidur extends SchedulerSettings, SchedulerSpec
            permits SchedulerSpec.Vllm,
                    SchedulerSpec.Sarathi,
                    SchedulerSpec.Orca,
                    SchedulerSpec.FasterTransformer,
                    SchedulerSpec.LightLlm {
        /** Share of the blocks that new requests leave free. */
        default double watermarkBlocksFraction() {
            return 0;
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

    @Variant("vllm_v1 | vLLM's V1 engine, decision by decision: chunks of prompts beside decodes, a prefix cache,"
            + " drafts, steps planned ahead. Its keys have the engine's own names.")
    record VllmV1(
            @Key(
                            "Maximum requests in a step; null for the engine's default on the device. | null | requests | 1..1000000")
                    Optional<Integer> maxNumSeqs,
            @Key(
                            "Maximum tokens in a step; null for the engine's default on the device. | null | tokens | 1..1000000000")
                    Optional<Integer> maxNumBatchedTokens,
            @Key("Size of a KV block. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("Share of the device's memory that the engine takes: weights, the peak of a step, what libraries hold,"
                            + " captured graphs, and KV cache in what is left. | 0.92 | 0.000001..1")
                    @OnlyIf("free_gpu_memory_fraction = null | scheduler.free_gpu_memory_fraction divides the memory")
                    double gpuMemoryUtilization,
            @Key(
                            "Share of the memory beside weights and the peak of a step that the KV cache takes, as TensorRT-LLM plans"
                                    + " memory; null for scheduler.gpu_memory_utilization of the whole memory. | null | 0.000001..1")
                    Optional<Double> freeGpuMemoryFraction,
            @Key("How the most likely tokens are found, on which the peak of a step depends. | select")
                    ProfiledSampler profiledSampler,
            @Key("Whether room is left for captured graphs, as the engine does from 0.21 on. | true")
                    boolean estimateGraphMemory,
            @Key(
                            "KV blocks of a replica, one of which stays unused; null for what memory holds. | null | blocks | 2..10000000")
                    Optional<Integer> numGpuBlocksOverride,
            @Key("Whether requests use what others computed of the same prefix. | true") boolean enablePrefixCaching,
            @Key("Whether a prompt can be admitted in parts. | true") boolean enableChunkedPrefill,
            @Key("Maximum tokens of one request in a step; 0 for no such bound. | 0 | tokens | 0..1000000000")
                    int longPrefillTokenThreshold,
            @Key("Share of the KV blocks that admission leaves free. | 0 | 0..1") double watermark,
            @Key("Whether a prompt is admitted only if all of it fits. | true") boolean schedulerReserveFullIsl,
            @Key("Whether a step is planned before the result of the last one is known; null for yes, but for n-gram"
                            + " drafts. | null")
                    Optional<Boolean> asyncScheduling,
            @Key("Generation of the engine's model runner. | 2 | 1..2") int modelRunner,
            @Key("What decides who goes first, and who is preempted. | fcfs") SchedulingPolicy schedulingPolicy,
            @Key("Whether layers with a window or chunk keep the whole context too; no effect on other models. | false")
                    boolean disableHybridKvCacheManager,
            @Key(
                            "Devices of a tensor-parallel group over which the context of a sequence is spread, which would otherwise hold"
                                    + " copies of the same heads. | 1 | devices | 1..1024")
                    int decodeContextParallelSize,
            @Key("Tensor-parallel groups that share every prompt and spread its context; each takes devices of its own."
                            + " | 1 | groups | 1..1024")
                    int prefillContextParallelSize,
            @Key("Tokens in a row on one of the devices over which a context is spread. | 1 | tokens | 1..1000000000")
                    int cpKvCacheInterleaveSize,
            @Key(
                            "Engines of a replica, each with devices, requests and a cache of its own; those of a mixture of experts"
                                    + " share the experts and run every step together. | 1 | engines | 1..1024")
                    int dataParallelSize,
            @Key("Whether each expert is on one device of a replica, not spread over all of them. | false")
                    boolean enableExpertParallel,
            @Key(
                            "Steps from one that begins prompts to the next, of engines that run every step together; none is put off while"
                                    + " others were left waiting or no request decodes. | 1 | steps | 1..1000000000")
                    int prefillScheduleInterval,
            @Key("Whether LoRA adapters are served. | false") boolean enableLora,
            @Key("Adapters in a device's memory, and most in a step. | 1 | 1..10000")
                    @OnlyIf("enable_lora = true | no adapters are served with scheduler.enable_lora=false")
                    int maxLoras,
            @Key("Maximum rank of an adapter, which every slot has room for. | 16 | 1..512")
                    @OnlyIf("enable_lora = true | no adapters are served with scheduler.enable_lora=false")
                    int maxLoraRank,
            @Key("Speculative decoding. | {}") Speculative speculative)
            implements SchedulerSettings {
        /** How the most likely tokens are found. */
        public enum ProfiledSampler {
            SELECT, // Without sorting, as from 0.17 on.
            SORT // By sorting all logits, as until 0.16.
        }

        /** What decides who goes first, and who is preempted. */
        public enum SchedulingPolicy {
            FCFS, // Arrival alone.
            PRIORITY // The requests' priorities, then arrival.
        }

        /** Drafts. */
        public record Speculative(
                @Key("Where drafts come from. | eagle")
                        @OnlyIf("num_tokens > 0 | there are no drafts with scheduler.speculative.num_tokens=0 | set the"
                                + " number of drafts")
                        @AllowedValues({"ngram", "eagle", "eagle3", "mtp", "draft_model"})
                        Speculation.Method method,
                @Key("Drafts of a request in a step; 0 for none. | 0 | tokens | 0..64") int numTokens,
                @Key("Probability that a draft is right when those before it are, by position; the last"
                                + " value goes on. Empty for the published rates of the method: eagle [0.64] and eagle3"
                                + " [0.77] (2.30 and 2.81 tokens a step with 3 drafts on MT-bench in vLLM's tests), mtp"
                                + " [0.85, 0.77] (DeepSeek-V3 report, arXiv 2412.19437; 3.0 tokens a step with 3 drafts of"
                                + " GLM-5.2), draft_model [0.55] and ngram [0.43] (mean accepted tokens of Spec-Bench)."
                                + " | [] | 0..1")
                        @OnlyIf("num_tokens > 0 | there are no drafts with scheduler.speculative.num_tokens=0 | set the"
                                + " number of drafts")
                        List<Double> acceptance,
                @Key("Share of the steps after which the text holds an n-gram to draft from. | 1 | 0..1")
                        @OnlyIf("method = ngram | other methods always make drafts | set"
                                + " scheduler.speculative.method=ngram")
                        double hitRate,
                @Key("Card of the draft model. | null")
                        @OnlyIf("method = draft_model | other methods draft without another model | set"
                                + " scheduler.speculative.method=draft_model")
                        Optional<ModelCard> draftModel,
                @Key("Time of a pass of the draft model as a share of a pass of the target, where there is no card of"
                                + " the draft model. | null | 0.000001..1")
                        @OnlyIf("method = draft_model | other methods draft without another model | set"
                                + " scheduler.speculative.method=draft_model")
                        Optional<Double> draftShare,
                @Key("Accepted drafts of one step after another as recorded, such as \"2 0 3\": a text for each request"
                                + " in turn, from its begin again at its end; [] to draw them. | []")
                        @OnlyIf("num_tokens > 0 | there are no drafts with scheduler.speculative.num_tokens=0 | set the"
                                + " number of drafts")
                        List<String> accepted) {
            public Speculative {
                acceptance = List.copyOf(acceptance);
                accepted = List.copyOf(accepted);
                for (String list : accepted) {
                    if (!list.matches("\\d{1,3}( \\d{1,3})*")) {
                        throw new IllegalArgumentException(
                                "scheduler.speculative.accepted: '" + list + "' is no list of numbers such as 2 0 3");
                    }
                }
            }
        }

        @Override
        public ContextSharding contextSharding() {
            return new ContextSharding(decodeContextParallelSize, prefillContextParallelSize, cpKvCacheInterleaveSize);
        }

        @Override
        public int batchSizeCap() {
            return maxNumSeqs.orElse(LEAST_DEFAULT_SEQS);
        }

        @Override
        public Optional<Integer> numBlocks() {
            return numGpuBlocksOverride;
        }

        private static final int LEAST_DEFAULT_SEQS = 256;
    }

    @Variant("sglang | SGLang's engine: prompts before decodes, a radix tree of cached prefixes, requests retracted"
            + " when memory runs out. Its keys have the engine's own names.")
    record Sglang(
            @Key(
                            "Maximum number of requests that run; null for the engine's default by memory and context. | null | requests | 1..1000000")
                    Optional<Integer> maxRunningRequests,
            @Key(
                            "Prompt tokens of a step, prompts being cut; -1 for whole prompts, null for the engine's default on the"
                                    + " device. | null | tokens | -1..1000000000")
                    Optional<Integer> chunkedPrefillSize,
            @Key("Prompt tokens of a step when prompts are whole. | 16384 | tokens | 1..1000000000")
                    int maxPrefillTokens,
            @Key("Size of a page of KV cache. | 1 | tokens | 1..1000000000") int pageSize,
            @Key("Share of the device's memory for weights and KV cache; null for the engine's default on the device."
                            + " | null | 0.000001..1")
                    Optional<Double> memFractionStatic,
            @Key("KV cache of a replica; null for what memory holds. | null | tokens | 2..1000000000")
                    Optional<Integer> maxTotalTokens,
            @Key("Order in which waiting requests are tried. | fcfs")
                    @AllowedValues({"fcfs", "lpm", "dfs_weight", "lof", "random"})
                    QueueOrder.Policy schedulePolicy,
            @Key("Factor on the share of the outputs to come that admission reserves. | 1 | 0.000001..1000000")
                    double scheduleConservativeness,
            @Key("Whether nothing that was computed is used again. | false") boolean disableRadixCache,
            @Key("What leaves the cache first. | lru")
                    @OnlyIf("disable_radix_cache = false | nothing is cached with scheduler.disable_radix_cache=true")
                    @AllowedValues({"lru", "lfu", "fifo", "mru", "filo", "slru"})
                    RadixTree.Eviction radixEvictionPolicy,
            @Key("Whether decodes join the steps with prompts. | false") boolean enableMixedChunk,
            @Key("Whether a step is planned only when the result of the last one is known. | false")
                    boolean disableOverlapSchedule,
            @Key("Output that requests ask for, where it is more than what they get; null for what they get."
                            + " | null | tokens | 1..1000000000")
                    Optional<Integer> maxNewTokens)
            implements SchedulerSettings {
        private static final int MOST_RUNNING = 4096;

        @Override
        public int batchSizeCap() {
            return maxRunningRequests.orElse(MOST_RUNNING);
        }

        @Override
        public int blockSize() {
            return pageSize;
        }

        @Override
        public Optional<Integer> numBlocks() {
            return maxTotalTokens.map(tokens -> tokens / pageSize);
        }
    }
}
