package dev.stagesim.sim.serving;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import java.util.List;

/**
 * What each operator contributed to a batch: milliseconds of one layer, mean over the pipeline stages.
 *
 * <p>With quirks as the reference logs it: {@code add} doubled although its time counts once, sums over layers divided
 * again. Both all-reduce columns hold one transfer with its overheads.
 */
public final class BatchOperations {
    private static final List<Operator> STEPS = List.of(
            Operator.SCHEDULE,
            Operator.SAMPLER_E2E,
            Operator.PREPARE_INPUTS_E2E,
            Operator.PROCESS_MODEL_OUTPUTS,
            Operator.RAY_COMM_TIME);

    private final ServingSpec spec;
    private final OperatorTimes times;

    public BatchOperations(ServingSpec spec, OperatorTimes times) {
        this.spec = spec;
        this.times = times;
    }

    /** Times on the device, of {@link dev.stagesim.model.BatchOperators#MODEL}; NaN for attention that a batch has none of. */
    public double[] model(Batch batch) {
        int tile = spec.tileTokens();
        int tokens = (batch.totalTokens() + tile - 1) / tile * tile;
        StepTimes.Step step = batch.step();
        int stages = spec.cluster().pipelineStages();
        double comm = allReduce(tokens);
        double send = stages == 1 ? 0 : times.milliseconds(Operator.SEND_RECV, tokens) * (stages - 1) / stages;
        double norm = spec.model().postAttentionNorm() ? at(Operator.POST_ATTENTION_LAYERNORM, tokens) : 0;
        return new double[] {
            overLayers(at(Operator.MLP_UP_PROJ, tokens)),
            overLayers(at(Operator.MLP_ACT, tokens)),
            overLayers(at(Operator.MLP_DOWN_PROJ, tokens)),
            overLayers(comm),
            overLayers(at(Operator.ATTN_PRE_PROJ, tokens)),
            overLayers(at(Operator.ATTN_POST_PROJ, tokens)),
            overLayers(comm),
            step.prefillMs() == 0 ? Double.NaN : overLayers(step.prefillMs()),
            overLayers(at(Operator.ATTN_KV_CACHE_SAVE, batch.totalTokens())),
            step.decodeMs() == 0 ? Double.NaN : overLayers(step.decodeMs()),
            overLayers(at(Operator.ATTN_ROPE, tokens)),
            send,
            overLayers((spec.quirks() ? 2 : 1) * at(Operator.ADD, tokens)),
            overLayers(at(Operator.INPUT_LAYERNORM, tokens)),
            overLayers(norm)
        };
    }

    /** Times on the host, of {@link dev.stagesim.model.BatchOperators#HOST}, 0 when they are not modelled, and the device's whole time per stage in their midst. */
    public double[] host(Batch batch) {
        double[] ms = new double[STEPS.size()];
        for (int i = 0; i < ms.length && spec.timing().cpuOverheads(); i++) {
            ms[i] = at(STEPS.get(i), batch.size());
        }
        StepTimes.Step step = batch.step();
        int stages = spec.cluster().pipelineStages();
        double modelMs = 0;
        for (int stage = 0; stage < stages; stage++) {
            modelMs += step.modelSeconds(stage == stages - 1) * 1e3;
        }
        return new double[] {ms[0], ms[1], ms[2], modelMs / stages, ms[3], ms[4]};
    }

    private double allReduce(int tokens) {
        int devices = spec.cluster().tensorParallel();
        return devices == 1
                ? 0
                : at(Operator.ALL_REDUCE, tokens)
                        + spec.timing().ncclLaunchMs()
                        + spec.timing().ncclSkewMs() * Math.pow(devices, 1.25);
    }

    private double at(Operator operator, int count) {
        return times.milliseconds(operator, count);
    }

    /** With quirks adds the value up once for each layer before dividing: the rounding is part of the logged figure. */
    private double overLayers(double value) {
        if (!spec.quirks()) {
            return value;
        }
        int layers = spec.model().layers();
        double sum = 0;
        for (int i = 0; i < layers; i++) {
            sum += value;
        }
        return sum / layers;
    }
}
