package dev.stagesim.verify.fidelity;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.ExpertLibrary;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.ProfiledMemory;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.settings.BatchDefaults;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings.Sglang;
import dev.stagesim.sim.serving.spec.SchedulerSettings.VllmV1;
import dev.stagesim.verify.fidelity.corpus.Cards;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the system of a row, or the reason why it cannot be predicted. */
final class Subjects {
    static final int DEFAULT_CHUNK = 8192;

    /**
     * Sorting time per logit, if tokens are sampled from the most likely ones; PyTorch's sort in vLLM's changes 32558 and
     * 40376.
     */
    private static final double SORT_NS = 0.25;

    private final Cards cards;
    private final Map<String, Optional<ModelCard>> models = new HashMap<>();
    private final Map<String, Optional<HardwareCard>> devices = new HashMap<>();
    private final Map<String, Optional<StepCard>> engines = new HashMap<>();

    Subjects(Cards cards) {
        this.cards = cards;
    }

    Subject of(Row row) {
        return of(row, Optional.empty(), Script.of(row, Pool.aggregated(row)).drafts());
    }

    /**
     * Returns a pool of workers that only generates tokens. The first step of a request has one token, and runs as a decode; its
     * scheduler therefore mixes both.
     *
     * @param drafts draft tokens of a request in a step
     */
    Subject generating(Row row, Pool pool, int drafts) {
        Subject subject = of(row, Optional.of(pool), drafts);
        ReplicaModel replica = subject.replica();
        SchedulerSettings scheduler = replica.scheduler() instanceof VllmV1 ? replica.scheduler() : mixed();
        StepCard engine = KeyRecord.with(StepCard.class, replica.engine(), Map.of("graphPrefill", true));
        return new Subject(
                KeyRecord.with(ReplicaModel.class, replica, Map.of("scheduler", scheduler, "engine", engine)),
                subject.sharding(),
                subject.chunk(),
                subject.sequences());
    }

    private static VllmV1 mixed() {
        return KeyRecord.with(
                VllmV1.class, (VllmV1) EngineSchedulers.of("trtllm"), Map.of("enablePrefixCaching", false));
    }

    /** Returns a scheduler with the share of the memory that SGLang uses, if it is stated. */
    private static VllmV1 limited(VllmV1 engine, SchedulerSettings scheduler) {
        Optional<Double> share =
                scheduler instanceof Sglang sglang ? sglang.memory().memFractionStatic() : Optional.empty();
        return share.map(used -> KeyRecord.with(
                        VllmV1.class,
                        engine,
                        Map.of("freeGpuMemoryFraction", Optional.empty(), "gpuMemoryUtilization", used)))
                .orElse(engine);
    }

    /**
     * Returns the system of a row, or one of its pools of workers.
     *
     * @param drafts draft tokens of a request in a step
     */
    Subject of(Row row, Optional<Pool> pool, int drafts) {
        ExcludedRows.check(row);
        HardwareCard hardware = devices.computeIfAbsent(row.setup().gpu(), name -> cards.hardware(option(name)))
                .orElseThrow(() -> new UnpredictableRow(
                        "no hardware card for " + row.setup().gpu()));
        if (hardware.kernels().source().isEmpty()) {
            throw new UnpredictableRow(
                    "no kernel data for the architecture of " + row.setup().gpu());
        }
        StepCard engine = TrtllmBench.engine(row, engine(row, hardware));
        ModelCard model = stored(row, model(row), engine);
        Sharding sharding = pool.map(workers -> Splits.checked(workers, model)).orElseGet(() -> Splits.of(row, model));
        HardwareCard machine = row.origin().source().startsWith("mlenergy")
                ? KeyRecord.with(HardwareCard.class, hardware, Map.of("hostClass", MLENERGY_HOST))
                : hardware;
        boolean isServer = MlperfServer.isOne(row);
        int chunk = row.noted(isServer ? "max_num_tokens" : "chunk", Client.chunk(row, DEFAULT_CHUNK));
        int usual = BatchDefaults.of(hardware.name(), hardware.memory().memGb() * GIB, BatchDefaults.Use.SERVER)
                .maxNumSeqs();
        int sequences = row.load().kind().equals("max_num_seqs")
                ? (int) row.load().amount()
                : row.noted(isServer ? "batch" : "max_num_seqs", usual);
        ReplicaModel replica = ReplicaModel.computed(
                        model,
                        machine,
                        engine,
                        drafted(scheduler(row), drafts, pool.isEmpty()),
                        cluster(row, model, machine, sharding, chunk, sequences),
                        1)
                .sharing(shared(model, sharding));
        return new Subject(replica, sharding, chunk, sequences);
    }

    /** Returns the engine's scheduler of the row's version. Prompts of most clients share nothing, so prefix caches find nothing. */
    private static SchedulerSettings scheduler(Row row) {
        SchedulerSettings scheduler = EngineSchedulers.of(row.setup().engine());
        if (scheduler instanceof Sglang sglang) {
            SglangRules rules = row.setup().version().matches("0\\.5\\.(2[3-9]|[3-9]\\d).*")
                    ? SglangRules.V0_5_23
                    : SglangRules.V0_5;
            Optional<Double> share = Client.isRandom(row) && row.setup().model().contains("DeepSeek")
                    ? Optional.of(Script.sglangMemory(row))
                    : Optional.empty();
            Map<String, Object> changes =
                    new HashMap<>(Map.of("disableRadixCache", true, "version", rules, "memFractionStatic", share));
            Client.generatedPrefillTokens(row)
                    .ifPresent(max -> changes.putAll(Map.of("enableMixedChunk", true, "maxPrefillTokens", max)));
            return KeyRecord.with(Sglang.class, sglang, changes);
        }
        if (!(scheduler instanceof VllmV1 engine)) {
            return scheduler;
        }
        Map<String, Object> changes = new HashMap<>(Map.of("enablePrefixCaching", Client.repeatedPrompts(row) > 0));
        if (TrtllmBench.isOne(row)) {
            changes.put("freeGpuMemoryFraction", Optional.of(TrtllmBench.CACHE));
        }
        if (row.setup().engine().equals("vllm_v1")) {
            int version = minor(row);
            boolean sorts = version < SELECTS_FROM;
            changes.put("gpuMemoryUtilization", USED);
            changes.put("profiledSampler", sorts ? VllmV1.ProfiledSampler.SORT : VllmV1.ProfiledSampler.SELECT);
            changes.put("estimateGraphMemory", version >= ESTIMATES_FROM && version < LATEST);
        }
        return KeyRecord.with(VllmV1.class, engine, changes);
    }

    /**
     * Returns a scheduler that verifies drafts of multi-token prediction. The scheduler of SGLang has no drafts, so vLLM's
     * with its rules for memory runs instead. Only one engine for prompts and tokens has the share of memory of the script.
     */
    private static SchedulerSettings drafted(SchedulerSettings scheduler, int drafts, boolean isAggregated) {
        if (drafts == 0) {
            return scheduler;
        }
        VllmV1 engine = scheduler instanceof VllmV1 vllm ? vllm : isAggregated ? limited(mixed(), scheduler) : mixed();
        VllmV1.Speculative speculative = KeyRecord.with(
                VllmV1.Speculative.class,
                engine.speculative(),
                Map.of(
                        "method", Speculation.Method.MTP,
                        "numTokens", drafts,
                        "acceptance", Script.ACCEPTANCE));
        return KeyRecord.with(VllmV1.class, engine, Map.of("speculative", speculative));
    }

    /**
     * Returns the devices of one attention copy. vLLM before V1 reserves memory for the peak of a step, which its scheduler
     * here does not count.
     */
    private static ClusterSettings cluster(
            Row row, ModelCard model, HardwareCard hardware, Sharding sharding, int chunk, int sequences) {
        double kept = row.setup().engine().equals("vllm_v0")
                ? new ProfiledMemory(model, hardware, sharding.tensor(), sharding.stages())
                        .bytes(chunk, sequences, ProfiledMemory.Sampler.SORT, false)
                : 0;
        double memory = hardware.usableMemGib() - kept / GIB / USED;
        if (memory <= 0) {
            throw new UnpredictableRow("weights and one sequence do not fit the memory");
        }
        return KeyRecord.with(
                ClusterSettings.class,
                EngineSchedulers.cluster(sharding.tensor(), sharding.stages(), Optional.of(USED)),
                Map.of("memoryGib", Optional.of(memory)));
    }

    /** Experts that other devices share; empty if an attention copy has all of them. */
    private static Optional<ReplicaModel.SharedExperts> shared(ModelCard model, Sharding sharding) {
        boolean isOwn = sharding.equals(Sharding.tensor(sharding.tensor(), sharding.stages()));
        return model.experts()
                .numExperts()
                .filter(experts -> !isOwn)
                .map(experts ->
                        new ReplicaModel.SharedExperts(sharding, (double) experts / sharding.attentionCopies(), true));
    }

    private static int minor(Row row) {
        Matcher minor = MINOR.matcher(row.setup().version());
        return minor.lookingAt() ? Integer.parseInt(minor.group(1)) : LATEST;
    }

    /** Default share of memory of vLLM's server at the time of the measurements. */
    private static final double USED = 0.9;

    private static final double GIB = 1L << 30;
    private static final Pattern MINOR = Pattern.compile("0\\.(\\d+)");
    private static final int SELECTS_FROM = 17;
    private static final int ESTIMATES_FROM = 21;
    private static final int LATEST = Integer.MAX_VALUE;

    /** Host class of ml.energy's machines, fitted to their eager and graph steps together. */
    static final double MLENERGY_HOST = 1.4;

    /** Returns the card of the model of a row. */
    ModelCard model(Row row) {
        for (String name : List.of(
                row.setup().card(), row.setup().model(), plain(row.setup().model()))) {
            Optional<ModelCard> found =
                    name.isEmpty() ? Optional.empty() : models.computeIfAbsent(name, each -> cards.model(option(each)));
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw new UnpredictableRow("no model card for " + row.setup().model());
    }

    /** Returns the model name without suffixes for tuning and storage. */
    private static String plain(String name) {
        return name.replaceAll(
                "(?i)-(instruct|chat|it|thinking|fp8|nvfp4|fp4|awq|gptq|int4|int8|w4a16|w8a8|dynamic|hf|0528|2507)(?=-|$)",
                "");
    }

    private StepCard engine(Row row, HardwareCard hardware) {
        String option = EngineOptions.of(row, hardware);
        StepCard engine = engines.computeIfAbsent(option, cards::engine)
                .orElseThrow(() ->
                        new UnpredictableRow("no engine card for " + row.setup().engine()));
        if (!row.origin().source().startsWith("mlenergy")) {
            return Script.multipliesWithFlashInfer(row) ? engine.multiplyingBlocks(Script.FLASH_INFER_BLOCKS) : engine;
        }
        // ml.energy measured vLLM 0.11, which computes experts with Triton unless a script selects other kernels
        StepCard plain = option.equals("vllm_v1") ? engine.computingExperts(ExpertLibrary.TRITON) : engine;
        return row.load().kind().equals("max_num_seqs")
                        && !row.setup().model().contains("gpt-oss")
                        && !row.load().input().equals("code")
                ? plain.sampling(SORT_NS)
                : plain;
    }

    private static ModelCard stored(Row row, ModelCard model, StepCard engine) {
        Precision stated = precision(row.setup().dtype(), model);
        boolean isMx = stated == Precision.NVFP4 && row.setup().gpu().contains("MI3"); // AMD's 4 bits are MXFP4
        Precision weights = isMx ? Precision.MXFP4 : stated;
        Precision experts = weights;
        int at = row.note().indexOf("moe weights ");
        if (at >= 0) {
            experts =
                    precision(row.note().substring(at + "moe weights ".length()).replaceAll("[; ].*", ""), model);
        }
        if (model.family().equals("gpt_oss")) {
            weights = Precision.BF16;
            experts = Precision.MXFP4;
        }
        boolean narrow = engine.kv8bit() && weights != Precision.BF16;
        // enabled by its scripts on Blackwell
        narrow |= Client.isRandom(row)
                && row.setup().gpu().matches("G?B[23]00.*")
                && (Client.isLateVllm(row)
                        || model.isLatentAttention()
                        || model.family().equals("gpt_oss"));
        narrow |= row.note().contains("kv fp8");
        narrow |= TrtllmBench.isOne(row)
                && model.family().equals("gpt_oss")
                && row.setup().gpu().matches("G?B[23]00.*");
        boolean isKvQuantised =
                row.setup().dtype().contains("kv_fp8") || row.setup().dtype().contains("kv_int8");
        return model.stored(weights, experts, narrow || isKvQuantised ? Precision.FP8 : Precision.BF16);
    }

    private static Precision precision(String text, ModelCard model) {
        String name = text.toLowerCase(Locale.ROOT);
        if (name.startsWith("w_fp16") || name.equals("fp16/bf16") || name.matches("bf16|bfloat16|fp16|f16|float16")) {
            return Precision.BF16;
        }
        if (name.startsWith("w_int8")) {
            return Precision.INT8;
        }
        if (name.equals("int8")) {
            // gpt-fast and llama.cpp unpack the weights, and W8A16_INT8 has more scales than one per channel
            return Precision.W8A16_FP8;
        }
        if (name.equals("fp8") || name.equals("fp8_block")) {
            boolean block = name.equals("fp8_block") || model.formats().weights() == Precision.FP8_BLOCK;
            return block ? Precision.FP8_BLOCK : Precision.FP8;
        }
        if (name.equals("nvfp4") || name.equals("fp4")) {
            return Precision.NVFP4;
        }
        if (name.equals("mxfp4")) {
            return Precision.MXFP4;
        }
        if (name.startsWith("int4") || name.startsWith("uint4")) {
            return Precision.INT4;
        }
        if (name.equals("q4_k_m")) {
            return Precision.Q4_K_M;
        }
        throw new UnpredictableRow("values of " + text + " are not modelled");
    }

    /** Returns the same model with other devices for each layer; empty if it does not split that way. */
    static Optional<Subject> split(Subject subject, int tensor) {
        ReplicaModel replica = subject.replica();
        if (!LayerTimes.splits(replica.model(), tensor)) {
            return Optional.empty();
        }
        ClusterSettings cluster = KeyRecord.with(
                ClusterSettings.class, replica.cluster(), Map.of("tensorParallelSize", tensor, "numPipelineStages", 1));
        return Optional.of(new Subject(
                KeyRecord.with(ReplicaModel.class, replica, Map.of("cluster", cluster, "shared", Optional.empty())),
                Sharding.tensor(tensor, 1),
                subject.chunk(),
                subject.sequences()));
    }

    /** Names of devices in MLPerf's results that differ from those of the cards. */
    private static final Map<String, String> DEVICES = Map.of(
            "rtx_pro_6000_blackwell_server_edition", "rtx_pro_6000_server",
            "b300_sxm_270gb", "b300",
            "mi355x_288gb_hbm3e", "mi355x",
            "mi325x_256gb_hbm3e", "mi325x",
            "mi300x_192gb_hbm3", "mi300x");

    static String option(String name) {
        String option = name.toLowerCase(Locale.ROOT)
                .replaceFirst("^(nvidia|amd instinct) ", "")
                .replaceAll("[^a-z0-9]", "_");
        return DEVICES.getOrDefault(option, option);
    }

    /** Returns the engine card for a row's engine and version. */
    private static final class EngineOptions {
        private static final Map<String, String> SAME = Map.of(
                "sarathi", "sarathi",
                "vllm_v1", "vllm_v1",
                "sglang", "sglang",
                "deepspeed_mii", "deepspeed_mii",
                "gpt_fast", "gpt_fast",
                "llama.cpp", "llama_cpp",
                "hf_transformers", "hf_transformers");

        private EngineOptions() {}

        static String of(Row row, HardwareCard hardware) {
            String version = row.setup().version();
            if (row.setup().engine().equals("vllm_v0")) {
                if (hardware.device().vendor().equals("AMD") && version.startsWith("0.4")) {
                    return row.setup().gpu().startsWith("MI3") ? "vllm_v0_cdna3" : "vllm_v0_rocm";
                }
                if (version.startsWith("0.2") || version.startsWith("2023")) {
                    return "sarathi";
                }
                return version.startsWith("0.5") ? "vllm_v0_server" : "vllm_v0";
            }
            if (row.setup().engine().equals("trtllm") && row.note().contains("framework dynamo")) {
                return "trtllm"; // the version is that of the framework
            }
            if (row.setup().engine().equals("trtllm")) {
                return version.matches("0\\.[5-9](\\D.*)?")
                        ? "trtllm_static"
                        : TrtllmBench.isBuilt(version) ? "trtllm_engine" : "trtllm";
            }
            if (row.setup().engine().equals("sglang")
                    && hardware.device().vendor().equals("AMD")
                    && Script.isBeforeTunedKernels(row)) {
                return "sglang_rocm";
            }
            String same = SAME.get(row.setup().engine());
            if (same == null) {
                throw new UnpredictableRow("no engine card for " + row.setup().engine());
            }
            return same;
        }
    }
}
