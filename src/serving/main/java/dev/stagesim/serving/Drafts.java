package dev.stagesim.serving;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.predict.DraftTimes;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.kernels.DraftCost;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.StepCost;
import dev.stagesim.sim.kernels.StepModel;
import dev.stagesim.sim.serving.policy.Acceptance;
import dev.stagesim.sim.serving.settings.Speculation.Method;
import dev.stagesim.sim.serving.spec.Footprint;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings.VllmV1.Speculative;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Speculative decoding of a deployment: the draft model, its time and memory, and the acceptance of drafts. */
record Drafts(Speculative settings, ModelCard model) {
    /**
     * Published acceptance of a method.
     *
     * @param maxDrafts drafts per step in the publication
     * @param maxSpeedup highest speed-up of a single request
     */
    private record Published(List<Double> acceptance, int maxDrafts, double maxSpeedup, String source) {}

    private static final List<String> EXPERT_KEYS = List.of(
            "numExperts",
            "expertsPerToken",
            "moeFfnDim",
            "sharedExperts",
            "sharedFfnDim",
            "moeHiddenSize",
            "expertLayers");

    private static final Published EAGLE =
            new Published(List.of(0.64), 3, 2.1, "EAGLE in serving engines gives 1.6 to 2.1 times as many tokens");
    private static final Map<Method, Published> PUBLISHED = Map.of(
            Method.EAGLE, EAGLE,
            Method.EAGLE3,
                    new Published(
                            List.of(0.70, 0.68, 0.62), 3, 2.5, "EAGLE-3 in vLLM gives up to 2.5 times as many tokens"),
            Method.MTP,
                    new Published(
                            List.of(0.82, 0.74),
                            3,
                            2.33,
                            "TensorRT-LLM on 8 B200 gives 2.2 to 2.3 times as many tokens"),
            Method.DRAFT_MODEL,
                    new Published(List.of(0.55), 5, 2.0, "Spec-Bench gives 1.1 to 2.0 times as many tokens"),
            Method.NGRAM, new Published(List.of(0.43), 10, 2.4, "Spec-Bench gives 1.0 to 2.4 times as many tokens"));

    /** Estimated host time to search the context of a request for an n-gram: a call, and a comparison per token. */
    private static final double NGRAM_US = 5;

    private static final double NGRAM_US_PER_TOKEN = 0.001;
    private static final double US_PER_MS = 1e3;

    /** Vocabulary size of EAGLE-3's output head. */
    private static final int EAGLE3_VOCABULARY = 32_000;

    private static final String SECTION = "scheduler.speculative.";
    private static final String METHOD = SECTION + "method";

    /** Returns the speculative decoding of a scheduler; empty without drafts. */
    static Optional<Drafts> of(SchedulerSettings scheduler, ModelCard model) {
        return scheduler instanceof SchedulerSettings.VllmV1 engine
                        && engine.speculative().numTokens() > 0
                ? Optional.of(new Drafts(engine.speculative(), model))
                : Optional.empty();
    }

    /**
     * Returns the conflicts of the method with the model, its devices or the draft model.
     *
     * @param tensor tensor parallelism
     * @param longest tokens of the longest sequence
     */
    List<Problem> problems(int tensor, int longest) {
        return switch (settings.method()) {
            case MTP -> layerProblems(model.shape().mtpLayers().orElse(0));
            case EAGLE3 ->
                model.shape().numLayers() >= inputs()
                        ? List.of()
                        : List.of(Problem.config(
                                        METHOD,
                                        "is eagle3, which reads the states of " + inputs() + " layers, and "
                                                + model.name() + " has "
                                                + model.shape().numLayers())
                                .hint("use eagle"));
            case DRAFT_MODEL ->
                settings.draftModel().isPresent() == settings.draftShare().isPresent()
                        ? List.of(shareProblem())
                        : settings.draftModel()
                                .map(draft -> draftProblems(draft, tensor, longest))
                                .orElse(List.of());
            default -> List.of();
        };
    }

    private List<Problem> layerProblems(int layers) {
        if (layers == 0) {
            return List.of(Problem.config(METHOD, "is mtp, and the card of " + model.name() + " has no MTP layer")
                    .options(List.of("ngram", "eagle", "eagle3", "draft_model"))
                    .hint("use another method, or set model.mtp_layers to the number of MTP layers in the checkpoint"));
        }
        int drafts = settings.numTokens();
        return drafts <= layers || drafts % layers == 0
                ? List.of()
                : List.of(Problem.config(
                                SECTION + "num_tokens",
                                "is " + drafts + ", which exceeds and is not a multiple of the " + layers
                                        + " MTP layers of " + model.name())
                        .hint("use a multiple of model.mtp_layers"));
    }

    private Problem shareProblem() {
        String what = settings.draftModel().isPresent()
                ? "has no effect: scheduler.speculative.draft_model names the card"
                : "is missing: method=draft_model needs the cost of the draft model";
        return Problem.config(SECTION + "draft_share", what)
                .hint("select a card with +model@scheduler.speculative.draft_model=NAME, or set "
                        + "scheduler.speculative.draft_share to the time of a pass of the draft model divided by the time "
                        + "of a pass of the target");
    }

    private List<Problem> draftProblems(ModelCard draft, int tensor, int longest) {
        List<Problem> problems = new ArrayList<>();
        String section = SECTION + "draft_model";
        if (draft.shape().vocabSize() != model.shape().vocabSize()) {
            problems.add(Problem.config(
                            section,
                            "is " + draft.name() + " with a vocabulary of "
                                    + draft.shape().vocabSize() + " tokens, and " + model.name() + " has "
                                    + model.shape().vocabSize())
                    .hint("use a draft model with the vocabulary of the target"));
        }
        if (draft.maxPosition() < longest) {
            problems.add(Problem.config(
                            section,
                            "is " + draft.name() + " with a context of " + draft.maxPosition()
                                    + " tokens, and sequences have up to " + longest)
                    .hint("use another draft model, or shorter sequences"));
        }
        if (!LayerTimes.splits(draft, tensor)) {
            problems.add(Problem.config(
                            "cluster.tensor_parallel_size",
                            "is " + tensor + ": tensor parallelism does not divide the heads and the feed-forward width"
                                    + " of the draft model " + draft.name())
                    .hint("use a divisor of both, or another draft model"));
        }
        return problems;
    }

    Acceptance acceptance() {
        List<Double> rates = settings.acceptance().isEmpty() ? published().acceptance() : settings.acceptance();
        return new Acceptance(
                rates,
                settings.hitRate(),
                settings.accepted().stream()
                        .map(list -> Arrays.stream(list.split(" "))
                                .map(Integer::valueOf)
                                .toList())
                        .toList());
    }

    /** Returns method, drafts per step and acceptance as text. */
    String text() {
        String rates = settings.acceptance().isEmpty()
                ? "acceptance rates " + published().acceptance() + " assumed (published for the method)"
                : "acceptance rates " + settings.acceptance();
        return "speculative decoding by " + KeyNames.constant(settings.method()) + " with "
                + settings.numTokens() + " drafts per step, "
                + (settings.accepted().isEmpty() ? rates : "accepted drafts as recorded");
    }

    /** Returns a note with the assumed output tokens per step; empty if the acceptance is set or recorded. */
    Optional<String> assumed() {
        return isAssumed()
                ? Optional.of(
                        text() + String.format(Locale.ROOT, ": %.2f output tokens per request and step", tokens()))
                : Optional.empty();
    }

    private boolean isAssumed() {
        return settings.acceptance().isEmpty() && settings.accepted().isEmpty();
    }

    private Published published() {
        return PUBLISHED.getOrDefault(settings.method(), EAGLE);
    }

    /** Returns the model of a draft pass; empty without a draft model, or if the share of its time is set. */
    private Optional<ModelCard> card() {
        return switch (settings.method()) {
            case DRAFT_MODEL -> settings.draftModel();
            case EAGLE, EAGLE3, MTP -> Optional.of(layer(1));
            default -> Optional.empty();
        };
    }

    /**
     * Returns a model of the target's width with {@code layers} layers of full attention: dense for EAGLE, with the
     * feed-forward kind of the target for MTP.
     */
    private ModelCard layer(int layers) {
        Map<String, Object> changes = new HashMap<>(Map.of(
                "numLayers", layers,
                "firstDenseLayers", Optional.empty(),
                "moeLayerStep", Optional.empty(),
                "attentionLayers", Optional.empty(),
                "ffnLayers", Optional.empty(),
                "stateLayers", Optional.empty(),
                "slidingWindow", Optional.empty(),
                "swaPattern", Optional.empty()));
        if (settings.method() != Method.MTP) {
            for (String key : EXPERT_KEYS) {
                changes.put(key, Optional.empty());
            }
            changes.put(
                    "weights",
                    model.formats().weights().bytes() > Precision.BF16.bytes()
                            ? model.formats().weights()
                            : Precision.BF16);
        }
        if (settings.method() == Method.EAGLE3) {
            changes.put("vocabSize", Math.min(EAGLE3_VOCABULARY, model.shape().vocabSize()));
        }
        return KeyRecord.with(ModelCard.class, model, changes);
    }

    /**
     * Returns the number of hidden states that the input projection concatenates: embedding and state, or three states for
     * EAGLE-3.
     */
    private int inputs() {
        return switch (settings.method()) {
            case EAGLE3 -> 3;
            case EAGLE, MTP -> 2;
            default -> 0;
        };
    }

    /**
     * Returns the time that drafts add to a step.
     *
     * @param operators times of the target's operators
     * @param step engine overheads of a step
     */
    DraftTimes cost(ReplicaModel deployment, OperatorTimes operators, StepModel step) {
        HardwareCard hardware = deployment.hardware();
        int drafts = settings.numTokens();
        int tensor = deployment.cluster().tensorParallelSize();
        if (settings.method() == Method.NGRAM) {
            return (tokens, decodes, kvTokens, prefills, skipsDrafts) ->
                    hardware.hostClass() * decodes * (NGRAM_US + NGRAM_US_PER_TOKEN * kvTokens) / US_PER_MS;
        }
        Optional<ModelCard> card = card();
        if (card.isPresent()) {
            return new DraftCost(card.get(), model, hardware, deployment.engine(), tensor, inputs(), drafts);
        }
        double share = settings.draftShare().orElse(0.0);
        return (tokens, decodes, kvTokens, prefills, skipsDrafts) -> share
                * (pass(operators, step, tokens, decodes, kvTokens)
                        + (skipsDrafts ? 0 : drafts - 1)
                                * pass(operators, step, decodes + prefills, decodes, kvTokens));
    }

    /** Returns the device time of a pass of the target in ms, without the attention of prompts. */
    private static double pass(OperatorTimes operators, StepModel step, int tokens, int decodes, int kvTokens) {
        double ms = step.operators(operators, Math.max(1, tokens), decodes, kvTokens, 0, 0, 0);
        StepCost cost = step.cost(ms, tokens, Math.max(1, decodes), 0);
        return cost.deviceUs() / US_PER_MS;
    }

    /** Returns the size of the target with the weights and the cache of the drafts. */
    Footprint footprint(Footprint target) {
        Optional<ModelCard> card = card();
        if (card.isEmpty()) {
            return target;
        }
        Footprint draft = ServingSpecs.footprint(card.get());
        long weights = draft.weightBytes();
        if (settings.method() != Method.DRAFT_MODEL) {
            double width = model.shape().hiddenSize();
            weights = ServingSpecs.footprint(layer(2)).weightBytes() - draft.weightBytes();
            weights += Math.round(
                    inputs() * width * width * card.get().formats().weights().bytes());
            weights += settings.method() == Method.EAGLE3
                    ? Math.round(width * card.get().shape().vocabSize() * 2)
                    : 0;
        }
        return new Footprint(
                target.parameters(),
                target.activeParameters(),
                target.kvBytesPerToken() + modules() * draft.kvBytesPerToken(),
                target.weightBytes() + modules() * weights,
                target.kvSharded());
    }

    /** Returns the number of draft modules in memory; with several MTP layers each predicts one draft. */
    private int modules() {
        return settings.method() == Method.MTP ? model.shape().mtpLayers().orElse(1) : 1;
    }

    /** Returns the number of full-attention layers of the target's size with the same KV cache size as the drafts. */
    int cacheLayers() {
        double layer = ServingSpecs.footprint(layer(1)).kvBytesPerToken();
        return card().map(card ->
                        modules() * (int) Math.ceil(ServingSpecs.footprint(card).kvBytesPerToken() / layer))
                .orElse(0);
    }

    /**
     * Returns warnings if the assumed acceptance is not published for the number of drafts, or if a single request is slower
     * than without drafts or faster than published.
     *
     * @param times times with the cost of drafts
     */
    List<String> warnings(OperatorTimes times, StepModel step, int context) {
        List<String> warnings = new ArrayList<>();
        Published published = published();
        if (isAssumed() && settings.numTokens() > published.maxDrafts()) {
            warnings.add("scheduler.speculative.num_tokens=" + settings.numTokens()
                    + ": the assumed acceptance rates are published for up to " + published.maxDrafts()
                    + " drafts per step; set scheduler.speculative.acceptance");
        }
        double speedup = speedup(times, step, context);
        if (speedup < 1) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "speculative decoding makes a single request slower: %.2f times the speed without drafts; lower"
                            + " scheduler.speculative.num_tokens, or use a cheaper draft",
                    speedup));
        } else if (speedup > published.maxSpeedup()) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "speculative decoding makes a single request %.2f times as fast, above the published range: %s;"
                            + " check scheduler.speculative.acceptance",
                    speedup,
                    published.source()));
        }
        return warnings;
    }

    /** Returns the speed of a single request relative to its speed without drafts. */
    private double speedup(OperatorTimes times, StepModel step, int context) {
        int drafts = settings.numTokens();
        int kv = Math.max(1, context / LayerTimes.KV_STEP) * LayerTimes.KV_STEP;
        kv = Math.min(kv, times.coverage().maxKvTokens());
        kv = kv / times.coverage().kvGranularity() * times.coverage().kvGranularity();
        double plain = step.milliseconds(step.operators(times, 1, 1, kv, 0, 0, 0), 1, 1, 0);
        double checked = step.milliseconds(step.operators(times, 1 + drafts, 1, kv, 0, 0, 0), 1 + drafts, 1, 0);
        double added = times.drafts().orElseThrow().milliseconds(1 + drafts, 1, kv, 0, false);
        return tokens() * plain / (checked + added);
    }

    /** Returns the mean output tokens of a request in a step. */
    double tokens() {
        double recorded = acceptance().lists().stream()
                .flatMap(List::stream)
                .mapToInt(Integer::intValue)
                .average()
                .orElse(Double.NaN);
        return Double.isNaN(recorded) ? acceptance().tokensPerStep(settings.numTokens()) : 1 + recorded;
    }
}
