package dev.stagesim.sim.kernels;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.WholeStep;

/**
 * Time of a whole engine step from the times of its operators: adds output head, sampler, gaps of the device, launches
 * or a CUDA graph, and host work.
 */
public final class StepModel implements WholeStep {
    private static final double MS_PER_US = 1e-3;
    private static final double EAGER_US = 100;
    private static final double GRAPH_US = 20;
    private static final int EAGER_PIECES = 3;
    private static final double US_PER_MS = 1e3;

    private final ModelCard model;
    private final StepCard engine;
    private final LayerTimes layers;
    private final int layersOfStage;
    private final double recurrentShare;
    private final double host;
    private final boolean sharded;
    private final double parallel;
    private final double launches;

    /** Microseconds of the output head by number of sequences, for common batch sizes. */
    private final double[] heads = new double[257];

    /**
     * Builds the model.
     *
     * @param hostClass single-thread time of the host relative to an H100 machine
     * @param layers times of a layer; only the output head is used
     */
    public StepModel(ModelCard model, double hostClass, StepCard engine, Sharding sharding, LayerTimes layers) {
        this.model = model;
        this.engine = engine;
        this.layers = layers;
        this.recurrentShare =
                (double) model.hybrid().stateLayers().orElse(0) / model.shape().numLayers();
        this.layersOfStage = (model.shape().numLayers() + sharding.stages() - 1) / sharding.stages();
        this.host = hostClass;
        this.sharded = sharding.devices() > 1;
        this.parallel = sharded
                ? engine.host().parallelUs()
                        + (sharding.devices() - 1) * engine.host().workerUs()
                : 0;
        double moe = ModelSize.expertLayers(model) / (double) model.shape().numLayers();
        this.launches = engine.launches().launchesDense()
                + (model.shape().qkNorm() ? engine.launches().launchesQkNorm() : 0)
                + moe * engine.launches().launchesMoe();
        for (int sequences = 1; sequences < heads.length; sequences++) {
            heads[sequences] = layers.head(sequences) * US_PER_MS;
        }
    }

    /** Number of layers of the largest pipeline stage. */
    public int layers() {
        return layersOfStage;
    }

    @Override
    public double milliseconds(double operatorsMs, int tokens, int decodes, int prefills) {
        return cost(operatorsMs, tokens, decodes, prefills).totalUs() * MS_PER_US;
    }

    /** Parts of a step with the given time of its operators. */
    public StepCost cost(double operatorsMs, int tokens, int decodes, int prefills) {
        int sequences = decodes + prefills;
        boolean fits = tokens <= engine.graphs().graphMaxTokens()
                && (prefills == 0 || engine.graphs().graphPrefill());
        boolean graph = fits && engine.graphs().execution() == StepCard.Execution.GRAPH;
        boolean pieces = fits && engine.graphs().execution() == StepCard.Execution.PIECEWISE;
        double head = sequences > 0 && sequences < heads.length ? heads[sequences] : layers.head(sequences) * US_PER_MS;
        double sampler =
                sequences * (double) model.shape().vocabSize() * engine.host().samplerNs() / NS_PER_US;
        int collectives = sharded ? 2 : 0;
        double gaps =
                layersOfStage * (launches + collectives) * engine.launches().gapUs();
        double eager = pieces
                ? EAGER_PIECES * engine.launches().launchUs()
                : launches * engine.launches().launchUs()
                        + collectives * engine.launches().collectiveLaunchUs()
                        + (model.isLatentAttention()
                                        || model.hybrid().stateLayers().isPresent()
                                ? engine.launches().latentUs()
                                : 0)
                        + recurrentShare * engine.launches().recurrentUs();
        double launch = host * (graph ? GRAPH_US : EAGER_US + layersOfStage * eager);
        double control = host * (engine.host().stepUs() + engine.host().sequenceUs() * sequences + parallel);
        return new StepCost(
                operatorsMs * US_PER_MS,
                head,
                sampler,
                gaps,
                launch,
                control,
                graph,
                engine.graphs().overlap());
    }

    /**
     * Time of the operators of all layers in milliseconds; the mean context of decodes is rounded up to the
     * granularity.
     */
    public double operators(
            OperatorTimes times, int tokens, int decodes, int context, int prefix, int chunk, int prefills) {
        double layer = 0;
        for (Operator operator : LAYER) {
            layer += times.milliseconds(operator, tokens);
        }
        if (sharded) {
            layer += 2 * times.milliseconds(Operator.ALL_REDUCE, tokens);
        }
        if (decodes > 0) {
            layer += times.decodeMilliseconds(decodes, context);
        }
        if (prefills > 0) {
            layer += Math.max(
                    times.prefillMilliseconds(prefix, chunk),
                    times.prefillKernelMilliseconds() + prefills * times.addedPrefillMilliseconds(prefix, chunk));
        }
        return layer * layersOfStage;
    }

    private static final Operator[] LAYER = {
        Operator.ATTN_PRE_PROJ,
        Operator.ATTN_POST_PROJ,
        Operator.ATTN_ROPE,
        Operator.ATTN_KV_CACHE_SAVE,
        Operator.MLP_UP_PROJ,
        Operator.MLP_DOWN_PROJ,
        Operator.MLP_ACT,
        Operator.INPUT_LAYERNORM,
        Operator.POST_ATTENTION_LAYERNORM,
        Operator.ADD
    };
}
