package dev.stagesim.serving;

import dev.stagesim.model.Count;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings.VllmV1.Speculative;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One way to run copies of a model: engine, parallelism, precision and limits of a batch.
 *
 * @param shape engine, parallelism and precision, which determine step times
 * @param maxNumSeqs maximum requests of a step
 * @param maxNumBatchedTokens maximum tokens of a step
 */
public record EngineChoice(Shape shape, int maxNumSeqs, int maxNumBatchedTokens) {
    /**
     * Returns a replica of this deployment with computed step times.
     *
     * @param memory share of device memory for the engine; empty for the engine's default
     * @param longest longest sequence in tokens
     */
    public ReplicaModel replica(ModelCard card, HardwareCard hardware, Optional<Double> memory, int longest) {
        return replica(shape.scheduler(), card, hardware, memory, longest);
    }

    /** Returns the arguments of a stage that select this deployment. */
    public String arguments() {
        String limits = shape.kind() == Kind.SGLANG
                ? " scheduler.max_running_requests=" + maxNumSeqs + " scheduler.chunked_prefill_size="
                        + maxNumBatchedTokens + " scheduler.max_prefill_tokens=" + maxNumBatchedTokens
                : " scheduler.max_num_seqs=" + maxNumSeqs + " scheduler.max_num_batched_tokens=" + maxNumBatchedTokens;
        return "engine=" + shape.engine() + " tp=" + shape.tp() + (shape.pp() > 1 ? " pp=" + shape.pp() : "")
                + shape.layout().arguments(shape.tp()) + shape.drafting().arguments() + " weights="
                + id(shape.weights())
                + (shape.experts() == shape.weights() ? "" : " model.expert_weights=" + id(shape.experts()))
                + " kv_cache=" + id(shape.kv()) + limits;
    }

    /** Returns a replica of a prefill pool, like {@link #replica}. */
    public ReplicaModel prefillReplica(ModelCard card, HardwareCard hardware, Optional<Double> memory, int longest) {
        return replica(
                EngineSchedulers.inPrefillPool(shape.engine(), shape.scheduler()), card, hardware, memory, longest);
    }

    private ReplicaModel replica(
            SchedulerSettings scheduler, ModelCard card, HardwareCard hardware, Optional<Double> memory, int longest) {
        EngineSchedulers.Limits limits =
                new EngineSchedulers.Limits(Optional.of(maxNumSeqs), Optional.of(maxNumBatchedTokens), memory);
        return shape.replica(card, hardware, EngineSchedulers.with(scheduler, limits), memory, longest);
    }

    /**
     * Engine, parallelism and precision.
     *
     * @param engine name of the engine
     * @param card engine overheads on top of kernel times
     * @param tp devices that share each layer
     * @param pp groups of devices that share the layers
     * @param weights precision of the weights
     * @param experts precision of the routed experts
     * @param kv precision of the KV cache
     * @param layout distribution of the experts over several engines
     * @param drafting speculative decoding
     */
    public record Shape(
            String engine,
            StepCard card,
            int tp,
            int pp,
            Precision weights,
            Precision experts,
            Precision kv,
            ExpertLayout layout,
            Drafting drafting) {
        /** Creates the shape of a single engine without drafts. */
        public Shape(String engine, StepCard card, int tp, int pp, Precision weights, Precision experts, Precision kv) {
            this(engine, card, tp, pp, weights, experts, kv, ExpertLayout.NONE, Drafting.NONE);
        }

        /** Returns the shape of one of the engines of a copy. */
        public Shape single() {
            return new Shape(engine, card, tp, pp, weights, experts, kv, ExpertLayout.NONE, drafting);
        }

        /** Returns the name of the engine as text. */
        public String engineName() {
            return Kind.of(engine).map(Kind::words).orElse(engine);
        }

        /** Returns the kind of the engine, which must be a known one. */
        public Kind kind() {
            return Kind.of(engine).orElseThrow();
        }

        /** Returns the scheduler of the engine with its defaults. */
        public SchedulerSettings scheduler() {
            SchedulerSettings scheduler = EngineSchedulers.of(engine);
            if (scheduler instanceof SchedulerSettings.VllmV1 vllm && !isPlain()) {
                Map<String, Object> changes = new LinkedHashMap<>(layout.changes());
                changes.put("prefillScheduleInterval", layout.prefillInterval());
                changes.put("speculative", drafting.settings());
                return KeyRecord.with(SchedulerSettings.VllmV1.class, vllm, changes);
            }
            return scheduler instanceof SchedulerSettings.Sglang sglang
                    ? KeyRecord.with(SchedulerSettings.Sglang.class, sglang, layout.changes())
                    : scheduler;
        }

        /** True if the copy is a single engine without drafts. */
        public boolean isPlain() {
            return layout.equals(ExpertLayout.NONE) && drafting.equals(Drafting.NONE);
        }

        /** Returns the replica of this shape with a scheduler. */
        public ReplicaModel replica(
                ModelCard model,
                HardwareCard hardware,
                SchedulerSettings batches,
                Optional<Double> memory,
                int longest) {
            return ReplicaModel.computed(
                    stored(model), hardware, card, batches, EngineSchedulers.cluster(tp, pp, memory), longest);
        }

        /** Returns the model with the precisions of this shape. */
        public ModelCard stored(ModelCard model) {
            return model.stored(weights, experts, kv);
        }

        /** Returns why the model cannot run in this shape on a device, apart from memory; empty if it can. */
        public Optional<String> whyInfeasible(ModelCard model, HardwareCard hardware) {
            return problems(model, hardware, scheduler()).stream().findFirst().map(Problem::what);
        }

        /** Returns the problems of the model in this shape on a device, apart from memory. */
        public List<Problem> problems(ModelCard model, HardwareCard hardware, SchedulerSettings batches) {
            Optional<String> unsupported = isPlain() ? Optional.empty() : unsupported(model);
            return unsupported
                    .map(reason -> List.of(Problem.config("engine", reason)))
                    .orElseGet(() -> replica(model, hardware, batches, Optional.empty(), 1)
                            .problems());
        }

        /** Returns why the engine cannot distribute the experts in this way, or cannot be simulated with it. */
        private Optional<String> unsupported(ModelCard model) {
            boolean isSpread = layout.dp() > 1 || layout.isExpertParallel();
            String reason = "";
            if (isSpread && !model.isMixtureOfExperts()) {
                reason = "the model has no experts to share";
            } else if (isSpread && pp > 1) {
                reason = "pipeline stages with shared experts are not simulated";
            } else if (drafting.tokens() > 0 && !(scheduler() instanceof SchedulerSettings.VllmV1)) {
                reason = "speculative decoding of " + engineName() + " is not simulated";
            } else if (scheduler() instanceof SchedulerSettings.OfVidur) {
                reason = "expert parallelism, data-parallel attention and prefill intervals of " + engineName()
                        + " are not simulated";
            } else if (kind() == Kind.SGLANG && layout.prefillInterval() > 1) {
                reason = engineName() + " has no prefill interval";
            }
            return reason.isEmpty() ? Optional.empty() : Optional.of(reason);
        }

        /** Returns the number of devices of a copy. */
        public int devices() {
            return tp * pp * layout.dp();
        }

        /** Returns the shape as text, such as "tp 4, FP8 weights, BF16 KV cache". */
        public String words() {
            return "tp " + tp + (pp > 1 ? ", pp " + pp : "") + layout.words(tp) + drafting.words() + ", "
                    + name(weights) + (experts == weights ? "" : " and " + name(experts)) + " weights, " + name(kv)
                    + " KV cache";
        }
    }

    /**
     * Distribution of a mixture of experts over the devices of a copy.
     *
     * @param dp engines in lockstep that share the experts, each with its own attention and requests
     * @param isExpertParallel whether each expert is on one device, not spread over all of them
     * @param prefillInterval only every n-th step may start prompts
     */
    public record ExpertLayout(int dp, boolean isExpertParallel, int prefillInterval) {
        public static final ExpertLayout NONE = new ExpertLayout(1, false, 1);

        private Map<String, Object> changes() {
            return Map.of("dataParallelSize", dp, "enableExpertParallel", isExpertParallel);
        }

        private String arguments(int tp) {
            return (dp > 1 ? " dp=" + dp : "")
                    + (isExpertParallel ? " ep=" + dp * tp : "")
                    + (prefillInterval > 1 ? " scheduler.prefill_schedule_interval=" + prefillInterval : "");
        }

        private String words(int tp) {
            return (dp > 1 ? ", dp " + dp : "")
                    + (isExpertParallel ? ", ep " + dp * tp : "")
                    + (prefillInterval > 1 ? ", prefills every " + prefillInterval + " steps" : "");
        }
    }

    /**
     * Speculative decoding of an engine.
     *
     * @param method method that proposes the drafts
     * @param tokens drafts per request and step; 0 for none
     * @param acceptance probabilities that drafts are accepted; empty for the published ones
     */
    public record Drafting(Speculation.Method method, int tokens, List<Double> acceptance) {
        public static final Drafting NONE = new Drafting(Speculation.Method.EAGLE, 0, List.of());

        public Drafting {
            acceptance = List.copyOf(acceptance);
        }

        private Speculative settings() {
            return new Speculative(method, tokens, acceptance, 1, Optional.empty(), Optional.empty(), List.of());
        }

        private String arguments() {
            return tokens == 0
                    ? ""
                    : " speculative=" + KeyNames.constant(method) + " scheduler.speculative.num_tokens=" + tokens;
        }

        private String words() {
            return tokens == 0 ? "" : ", " + method.name() + " with " + Count.of(tokens, "draft");
        }
    }

    /** Engines with known schedulers and flags. The name of a card begins with the name of its engine. */
    public enum Kind {
        VLLM("vLLM"),
        SGLANG("SGLang"),
        TRTLLM("TensorRT-LLM");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        /** Returns the name in texts. */
        public String words() {
            return words;
        }

        public String beginning() {
            return KeyNames.constant(this);
        }

        /** Returns the kind of an engine by its name; empty if the engine is unknown. */
        public static Optional<Kind> of(String engine) {
            return Arrays.stream(values())
                    .filter(kind -> engine.startsWith(kind.beginning()))
                    .findFirst();
        }
    }

    public static String name(Precision precision) {
        return precision.name().replace("FP8_BLOCK", "block FP8");
    }

    public static String id(Precision precision) {
        return KeyNames.constant(precision);
    }
}
