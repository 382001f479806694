package dev.stagesim.sim.kernels;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.DraftTimes;

/**
 * Cost of drafting with a model: sequential passes with layers and output head of the draft, and the target's output
 * head and sampler for every verified draft.
 *
 * <p>The first pass computes all tokens of the step, later passes one token per request. The host launches each pass
 * (between attention as piecewise CUDA graphs, as in vLLM). Passes do not overlap, because each needs the token of its
 * predecessor.
 */
public final class DraftCost implements DraftTimes {
    private static final double US_PER_MS = 1e3;
    private static final double NS_PER_US = 1e3;

    private final StepModel draft;
    private final LayerTimes layers;
    private final LayerTimes target;
    private final int inputs;
    private final int drafts;
    private final double samplerUs;

    /**
     * Builds the cost of a draft model.
     *
     * @param card the draft model or multi-token-prediction layer
     * @param model the target model
     * @param tensor devices that share a layer
     * @param inputs states of the target's width that a projection combines before the layer; 0 means no projection
     * @param drafts drafts per request in a step
     */
    public DraftCost(
            ModelCard card,
            ModelCard model,
            HardwareCard hardware,
            StepCard engine,
            int tensor,
            int inputs,
            int drafts) {
        Sharding sharding = Sharding.tensor(tensor, 1);
        StepCard pieces = engine.graphs().execution() == StepCard.Execution.GRAPH ? engine.inPieces() : engine;
        layers = new LayerTimes(card, hardware, pieces, sharding);
        draft = new StepModel(card, hardware.hostClass(), pieces, sharding, layers);
        target = new LayerTimes(model, hardware, engine, sharding);
        this.inputs = inputs;
        this.drafts = drafts;
        samplerUs = (double) model.shape().vocabSize() * engine.host().samplerNs() / NS_PER_US;
    }

    @Override
    public double milliseconds(int tokens, int decodes, int kvTokens, int prefills, boolean skipsDrafts) {
        int requests = decodes + prefills;
        if (requests == 0) {
            return 0;
        }
        int prompts = Math.max(prefills, tokens - decodes * (1 + drafts));
        int chunk = prefills == 0 ? 0 : prompts / prefills;
        double first = pass(tokens, decodes, kvTokens, chunk, prefills, !skipsDrafts);
        double next = skipsDrafts || drafts == 1
                ? 0
                : pass(requests, requests, Math.max(kvTokens, LayerTimes.KV_STEP), 0, 0, true);
        return first + (drafts - 1) * next + checks(decodes, prefills);
    }

    private double pass(int tokens, int decodes, int kvTokens, int chunk, int prefills, boolean samples) {
        double operators = draft.operators(layers, tokens, decodes, kvTokens, 0, chunk, prefills);
        StepCost cost = draft.cost(operators, tokens, decodes, prefills);
        double joined = inputs == 0 ? 0 : layers.projection(tokens, inputs);
        return joined + (cost.deviceUs() - (samples ? 0 : cost.outputUs()) + cost.launchUs()) / US_PER_MS;
    }

    /** The target's head and sampler at the positions of the drafts, in milliseconds. */
    private double checks(int decodes, int prefills) {
        if (decodes == 0) {
            return 0;
        }
        double head = target.head(decodes * (1 + drafts) + prefills) - target.head(decodes + prefills);
        return Math.max(0, head) + decodes * drafts * samplerUs / US_PER_MS;
    }
}
