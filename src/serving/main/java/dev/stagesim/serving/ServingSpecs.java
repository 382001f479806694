package dev.stagesim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.kernels.ContextTimes;
import dev.stagesim.sim.kernels.GraphCapture;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.ProfiledMemory;
import dev.stagesim.sim.serving.memory.LayerCache;
import dev.stagesim.sim.serving.policy.Acceptance;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.settings.BatchDefaults;
import dev.stagesim.sim.serving.settings.SglangSettings;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.Footprint;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.ArrayList;
import java.util.List;

/** Converts the configuration sections of a serving system to specifications of the serving simulator. */
public final class ServingSpecs {
    private static final long REFERENCE_SEED = 42;
    private static final double BYTES_PER_GIB = 1L << 30;

    private ServingSpecs() {}

    /** Returns the dimensions of the model. */
    public static ModelShape shape(ModelCard card) {
        return new ModelShape(
                card.shape().numLayers(),
                card.shape().numHeads(),
                card.shape().numKvHeads(),
                card.shape().hiddenSize(),
                card.shape().headDim(),
                card.shape().ffnDim(),
                card.gatedMlp(),
                card.shape().postAttentionNorm());
    }

    /** Returns the memory footprint of the model. */
    public static Footprint footprint(ModelCard card) {
        ModelSize size = card.size();
        return new Footprint(
                size.parameters(),
                size.activeParameters(),
                size.kvBytesPerToken(),
                size.weightBytes(),
                !card.isLatentAttention());
    }

    /** Returns the cluster. Its peak rate is NaN if the card has none. Engines use the visible memory of a device. */
    public static ClusterSpec cluster(
            ClusterSettings settings, HardwareCard hardware, SchedulerSettings scheduler, ModelCard model) {
        boolean isEngine =
                scheduler instanceof SchedulerSettings.VllmV1 || scheduler instanceof SchedulerSettings.Sglang;
        return new ClusterSpec(
                settings.replicas() * scheduler.dataParallelSize(),
                settings.tensorParallelSize(),
                settings.numPipelineStages(),
                settings.memoryGib()
                        .orElse(
                                isEngine
                                        ? hardware.usableMemGib()
                                        : hardware.memory().memGb()),
                settings.memoryGib().isPresent()
                        ? "cluster.memory_gib"
                        : isEngine ? hardware.usableMemKey() : "hardware.mem_gb",
                hardware.bf16OrFp16Tflops().orElse(Double.NaN),
                settings.memoryMarginFraction(),
                settings.globalScheduler(),
                settings.seed().orElse(REFERENCE_SEED),
                ExpertSharing.lockStep(scheduler, model),
                scheduler instanceof SchedulerSettings.VllmV1 engine
                        ? engine.engines().prefillScheduleInterval()
                        : 1);
    }

    /**
     * Returns the scheduler of a replica; its defaults can depend on device, model and cluster.
     *
     * @param longest sequence length that the memory plan reserves
     */
    static SchedulerSpec scheduler(
            SchedulerSettings settings, HardwareCard hardware, ModelCard model, ClusterSettings cluster, int longest) {
        if (settings instanceof SchedulerSettings.Sglang s) {
            return sglang(s, hardware, model, cluster);
        }
        return settings instanceof SchedulerSettings.VllmV1 s
                ? vllmV1(s, hardware, model, cluster, longest)
                : settings.spec();
    }

    private static VllmSettings.Pacing pacing(SchedulerSettings.VllmV1 settings, ModelCard model) {
        boolean isAlone = ExpertSharing.lockStep(settings, model) == 1;
        return new VllmSettings.Pacing(
                settings.admission().longPrefillTokenThreshold(),
                settings.admission().longPrefillTokenThresholdAdaptive(),
                settings.admission().maxNumActiveSeqs().orElse(Integer.MAX_VALUE),
                isAlone ? settings.engines().prefillScheduleInterval() : 1);
    }

    /** Returns vLLM's default limits of a server on one device. A server on a processor has those of other programs. */
    static BatchDefaults vllmDefaults(HardwareCard hardware) {
        return BatchDefaults.of(
                hardware.name(),
                hardware.memory().memGb() * BYTES_PER_GIB,
                hardware.device().isProcessor() ? BatchDefaults.Use.OTHER : BatchDefaults.Use.SERVER);
    }

    private static SchedulerSpec vllmV1(
            SchedulerSettings.VllmV1 settings,
            HardwareCard hardware,
            ModelCard model,
            ClusterSettings cluster,
            int longest) {
        BatchDefaults defaults =
                vllmDefaults(hardware).clamped(longest, settings.admission().enableChunkedPrefill(), false, false);
        int batched = settings.maxNumBatchedTokens().orElse(defaults.maxNumBatchedTokens());
        int seqs = settings.maxNumSeqs().orElse(Math.min(defaults.maxNumSeqs(), batched));
        checkVllmV1(settings, model, cluster.tensorParallelSize(), seqs, batched, longest);
        SchedulerSettings.VllmV1.Speculative drafts = settings.speculative();
        Speculation speculation =
                drafts.numTokens() == 0 ? Speculation.NONE : Speculation.of(drafts.method(), drafts.numTokens());
        // vLLM's platform for processors turns asynchronous scheduling off
        boolean canPlanAhead = !hardware.device().isProcessor()
                && (drafts.numTokens() == 0 || drafts.method() != Speculation.Method.NGRAM);
        SchedulerSpec.Lora lora = LoraSlots.of(settings, model, hardware, cluster);
        return new SchedulerSpec.VllmV1(
                new VllmSettings(
                        seqs,
                        VllmSettings.StepTokens.of(batched),
                        pacing(settings, model),
                        settings.admission().enableChunkedPrefill(),
                        settings.admission().schedulingPolicy() == SchedulerSettings.VllmV1.SchedulingPolicy.PRIORITY,
                        settings.admission().watermark(),
                        settings.admission().schedulerReserveFullIsl(),
                        settings.admission().asyncScheduling().orElse(canPlanAhead),
                        cluster.numPipelineStages(),
                        lora.slots(),
                        speculation,
                        new VllmSettings.Version(
                                settings.version(), settings.admission().modelRunner())),
                settings.memory().blockSize() * settings.contextSharding().ranks(),
                settings.memory().numGpuBlocksOverride().orElse(0),
                share(settings.memory()),
                profiled(settings, new BatchDefaults(batched, seqs), hardware, model, cluster)
                        .bytes(settings.memory().estimateGraphMemory()),
                settings.memory().enablePrefixCaching(),
                Drafts.of(settings, model).map(Drafts::acceptance).orElse(Acceptance.of(List.of())),
                lora,
                layers(settings, model, hardware, cluster, longest),
                settings.contextSharding());
    }

    private static SchedulerSpec.Share share(SchedulerSettings.VllmV1.VllmMemory memory) {
        return new SchedulerSpec.Share(
                memory.freeGpuMemoryFraction().orElse(memory.gpuMemoryUtilization()),
                memory.freeGpuMemoryFraction().isPresent());
    }

    private static List<LayerCache> layers(
            SchedulerSettings.VllmV1 settings,
            ModelCard model,
            HardwareCard hardware,
            ClusterSettings cluster,
            int longest) {
        List<LayerCache> layers = new KvLayers(
                        model,
                        settings.memory().blockSize(),
                        settings.memory().enablePrefixCaching(),
                        settings.speculative().numTokens(),
                        cluster.tensorParallelSize(),
                        longest)
                .list(
                        !settings.disableHybridKvCacheManager(),
                        Drafts.of(settings, model).map(Drafts::cacheLayers).orElse(0));
        ContextChecks.check(settings, model, hardware, cluster.tensorParallelSize(), layers);
        ExpertSharing.check(settings, model, hardware, cluster);
        return layers;
    }

    /** Returns the memory of a step and of the engine in addition to weights and KV cache. */
    static ProfiledMemory.Parts profiled(
            SchedulerSettings.VllmV1 settings,
            BatchDefaults step,
            HardwareCard hardware,
            ModelCard model,
            ClusterSettings cluster) {
        ProfiledMemory memory =
                new ProfiledMemory(model, hardware, cluster.tensorParallelSize(), cluster.numPipelineStages());
        ProfiledMemory.Sampler sampler = ProfiledMemory.Sampler.valueOf(
                settings.memory().profiledSampler().name());
        GraphCapture graphs = settings.isTensorRt()
                ? GraphCapture.ofTensorRt(
                        step.maxNumSeqs(),
                        step.maxNumBatchedTokens(),
                        settings.speculative().numTokens())
                : GraphCapture.ofDefaults(
                        step.maxNumSeqs(),
                        step.maxNumBatchedTokens(),
                        settings.speculative().numTokens(),
                        settings.admission().modelRunner());
        return new ProfiledMemory.Parts(
                memory.activations(step.maxNumBatchedTokens(), step.maxNumSeqs(), sampler),
                memory.libraries(),
                memory.graphs(graphs));
    }

    static SglangSettings.Defaults sglangDefaults(
            SchedulerSettings.Sglang settings, HardwareCard hardware, ModelCard model, ClusterSettings cluster) {
        return new SglangSettings.Defaults(
                cluster.memoryGib().orElse(hardware.memory().memGb()),
                new SglangSettings.Parallelism(
                        cluster.tensorParallelSize(),
                        cluster.numPipelineStages(),
                        ExpertSharing.lockStep(settings, model),
                        settings.enableExpertParallel()),
                model.isLatentAttention(),
                settings.eviction().rules());
    }

    private static SchedulerSpec sglang(
            SchedulerSettings.Sglang settings, HardwareCard hardware, ModelCard model, ClusterSettings cluster) {
        SglangSettings.Defaults defaults = sglangDefaults(settings, hardware, model, cluster);
        int engines = ExpertSharing.lockStep(settings, model);
        int chunk = settings.chunkedPrefillSize().orElse(defaults.chunkedPrefillSize() / engines);
        checkSglang(settings, chunk);
        ExpertSharing.check(settings, model, hardware, cluster);
        return new SchedulerSpec.Sglang(
                new SchedulerSpec.Limits(
                        settings.batchSizeCap(),
                        settings.blockSize(),
                        0,
                        settings.numBlocks().orElse(0)),
                settings.memory()
                        .memFractionStatic()
                        .orElse(defaults.memFractionStatic(
                                (chunk > 0 ? chunk : settings.maxPrefillTokens()) * engines)),
                model.maxPosition(),
                settings.maxRunningRequests().isPresent(),
                new SglangSettings(
                        Math.max(0, chunk),
                        settings.maxPrefillTokens(),
                        settings.memory().pageSize(),
                        settings.schedulePolicy(),
                        settings.scheduleConservativeness()
                                * (engines > 1 ? SglangSettings.SHARED_CONSERVATIVENESS : 1),
                        !settings.cache().disableRadixCache(),
                        settings.eviction(),
                        settings.enableMixedChunk(),
                        !settings.disableOverlapSchedule(),
                        settings.maxNewTokens().orElse(0)));
    }

    /** Checks that chunks are whole pages and that the cache has at least one page. */
    private static void checkSglang(SchedulerSettings.Sglang settings, int chunk) {
        List<Problem> problems = new ArrayList<>();
        int page = settings.memory().pageSize();
        if (chunk > 0 && chunk % page != 0) {
            problems.add(Problem.config(
                    "scheduler.chunked_prefill_size", "is " + chunk + ", not a multiple of page_size, " + page));
        }
        if (settings.memory().maxTotalTokens().isPresent()
                && settings.memory().maxTotalTokens().get() < page) {
            problems.add(Problem.config(
                    "scheduler.max_total_tokens",
                    "is " + settings.memory().maxTotalTokens().get() + ", less than page_size, " + page));
        }
        StageException.refuse(problems);
    }

    private static void checkVllmV1(
            SchedulerSettings.VllmV1 settings, ModelCard model, int tensor, int seqs, int batched, int longest) {
        List<Problem> problems = new ArrayList<>();
        if (seqs > batched) {
            problems.add(Problem.config(
                            "scheduler.max_num_batched_tokens", "is " + batched + ", less than max_num_seqs, " + seqs)
                    .hint("raise it, or set scheduler.max_num_seqs=" + batched + " as well"));
        }
        if (!settings.admission().enableChunkedPrefill() && batched < longest) {
            problems.add(Problem.config(
                            "scheduler.max_num_batched_tokens",
                            "is " + batched + ", less than the longest request, " + longest
                                    + " tokens, and chunked prefill is disabled")
                    .hint("raise it, or set scheduler.enable_chunked_prefill=true"));
        }
        int block = settings.memory().blockSize();
        if (block != 1 && block != 8 && block % 16 != 0) {
            problems.add(Problem.config(
                            "scheduler.block_size",
                            "is " + block + ", but the engine's attention kernels take 1, 8 or a multiple of 16")
                    .hint("use 16, the engine's default"));
        }
        ContextSharding context = settings.contextSharding();
        if ((double) settings.memory().blockSize() * context.decode() * context.prefill() > Integer.MAX_VALUE) {
            problems.add(Problem.config(
                            "scheduler.block_size",
                            "is " + settings.memory().blockSize() + " on each of " + context.decode() + " x "
                                    + context.prefill()
                                    + " context-parallel devices, which is more than 2^31 - 1 tokens per block")
                    .hint("lower it; the engine's default is 16"));
        }
        SchedulerSettings.VllmV1.Speculative drafts = settings.speculative();
        if (drafts.numTokens() > 0) {
            problems.addAll(new Drafts(drafts, model).problems(tensor, longest));
        }
        if (drafts.hitRate() < 1 && settings.admission().asyncScheduling().orElse(false)) {
            problems.add(Problem.config(
                            "scheduler.speculative.hit_rate",
                            "has no effect: with scheduler.async_scheduling=true each step is planned before its drafts are "
                                    + "available")
                    .hint("omit scheduler.async_scheduling"));
        }
        StageException.refuse(problems);
    }

    /** Checks of context parallelism against the model and its devices. */
    private static final class ContextChecks {
        private static final String DECODE = "scheduler.decode_context_parallel_size";
        private static final String PREFILL = "scheduler.prefill_context_parallel_size";
        private static final String INTERLEAVE = "scheduler.cp_kv_cache_interleave_size";

        private ContextChecks() {}

        static void check(
                SchedulerSettings.VllmV1 settings,
                ModelCard model,
                HardwareCard hardware,
                int tensor,
                List<LayerCache> layers) {
            ContextSharding context = settings.contextSharding();
            List<Problem> problems = new ArrayList<>();
            if (context.decode() > 1) {
                decode(context.decode(), model, tensor, problems);
            }
            if (context.prefill() > 1 && model.isMixtureOfExperts()) {
                problems.add(Problem.config(
                                PREFILL,
                                "is " + context.prefill() + ", but expert sharing between groups is not modelled")
                        .hint("choose a dense model, or scheduler.decode_context_parallel_size"));
            }
            if (context.ranks() > 1 && !ContextTimes.canExchange(hardware, tensor, context)) {
                problems.add(unlinked(context, hardware));
            }
            if (context.ranks() == 1 && context.interleave() > 1) {
                problems.add(Problem.config(
                                INTERLEAVE,
                                "has no effect: with scheduler.decode_context_parallel_size=1 and "
                                        + "scheduler.prefill_context_parallel_size=1 every device stores all tokens")
                        .hint("omit it"));
            } else if (settings.memory().blockSize() % context.interleave() != 0) {
                problems.add(Problem.config(
                                INTERLEAVE,
                                "is " + context.interleave() + ", which does not divide scheduler.block_size, "
                                        + settings.memory().blockSize())
                        .hint("use a divisor of the block size"));
            }
            if (context.ranks() > 1 && !layers.isEmpty()) {
                problems.add(Problem.config(
                                context.decode() > 1 ? DECODE : PREFILL,
                                "shards only the context of full attention, and " + model.name()
                                        + " has layers with windows, chunks or states")
                        .hint("set it to 1"
                                + (model.hybrid().stateLayers().orElse(0) > 0
                                        ? ""
                                        : ", or scheduler.disable_hybrid_kv_cache_manager=true")));
            }
            StageException.refuse(problems);
        }

        private static Problem unlinked(ContextSharding context, HardwareCard hardware) {
            boolean areGroups = context.prefill() > 1;
            return Problem.config(
                            areGroups ? PREFILL : DECODE,
                            "is " + (areGroups ? context.prefill() : context.decode()) + ", and " + hardware.name()
                                    + " has no link between all context-parallel devices; a node has "
                                    + new Links(hardware).devicesPerNode())
                    .hint("lower it or cluster.tensor_parallel_size, or set a network rate: "
                            + "hardware.nic_gbps_per_accel_typ");
        }

        /** Checks decode context parallelism, which removes duplicates of key-value heads or of a latent cache. */
        private static void decode(int decode, ModelCard model, int tensor, List<Problem> problems) {
            if (tensor % decode != 0) {
                problems.add(Problem.config(
                                DECODE, "is " + decode + ", which does not divide tensor_parallel_size, " + tensor)
                        .hint("use a divisor of cluster.tensor_parallel_size"));
            } else if (!model.isLatentAttention()
                    && decode > tensor / model.shape().numKvHeads()) {
                problems.add(Problem.config(
                                DECODE,
                                "is " + decode + ", more than the copies of each key-value head of " + model.name()
                                        + " on " + tensor + " tensor-parallel devices, "
                                        + Math.max(1, tensor / model.shape().numKvHeads()))
                        .hint("raise cluster.tensor_parallel_size, or lower it"));
            } else if (!model.isLatentAttention()
                    && model.shape().numHeads() / model.shape().numKvHeads() % decode != 0) {
                problems.add(Problem.config(
                                DECODE,
                                "is " + decode + ", which does not divide the "
                                        + model.shape().numHeads()
                                                / model.shape().numKvHeads()
                                        + " query heads of a key and value head of " + model.name())
                        .hint("use a divisor of it"));
            }
        }
    }
}
