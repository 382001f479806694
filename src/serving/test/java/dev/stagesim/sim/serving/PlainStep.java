package dev.stagesim.sim.serving;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.ServingSpec;

/** Step times of the {@link PlainSimulator}: the sums of {@code specs/serving.md} without caching. */
final class PlainStep {
    private final ServingSpec spec;
    private final OperatorTimes times;

    PlainStep(ServingSpec spec, OperatorTimes times) {
        this.spec = spec;
        this.times = times;
    }

    double hostSeconds(PlainBatch batch) {
        if (!spec.timing().cpuOverheads()) {
            return 0;
        }
        int size = batch.size();
        return (at(Operator.SCHEDULE, size)
                        + at(Operator.SAMPLER_E2E, size)
                        + at(Operator.PREPARE_INPUTS_E2E, size)
                        + at(Operator.PROCESS_MODEL_OUTPUTS, size)
                        + at(Operator.RAY_COMM_TIME, size))
                * 1e-3;
    }

    double modelSeconds(PlainBatch batch, boolean lastStage) {
        int tile = spec.quirks() ? 8 : 1;
        int tokens = (batch.totalTokens() + tile - 1) / tile * tile;
        double comm = spec.cluster().tensorParallel() == 1
                ? 0
                : at(Operator.ALL_REDUCE, tokens)
                        + spec.timing().ncclLaunchMs()
                        + spec.timing().ncclSkewMs() * Math.pow(spec.cluster().tensorParallel(), 1.25);
        double attention = at(Operator.ATTN_PRE_PROJ, tokens)
                + at(Operator.ATTN_POST_PROJ, tokens)
                + at(Operator.ATTN_ROPE, tokens)
                + at(Operator.ATTN_KV_CACHE_SAVE, batch.totalTokens())
                + decodeMs(batch)
                + prefillMs(batch)
                + comm
                + at(Operator.INPUT_LAYERNORM, tokens);
        double mlp = at(Operator.MLP_UP_PROJ, tokens)
                + at(Operator.MLP_DOWN_PROJ, tokens)
                + at(Operator.MLP_ACT, tokens)
                + comm
                + at(Operator.POST_ATTENTION_LAYERNORM, tokens);
        double layers = (attention + mlp + at(Operator.ADD, tokens)) * spec.layersPerStage();
        return lastStage ? layers * 1e-3 : (layers + at(Operator.SEND_RECV, tokens)) * 1e-3;
    }

    private double at(Operator operator, int count) {
        return times.milliseconds(operator, count);
    }

    private double decodeMs(PlainBatch batch) {
        int decodes = 0;
        long kv = 0;
        for (PlainRequest request : batch.requests) {
            if (request.prefillDone) {
                decodes++;
                kv += request.processed;
            }
        }
        if (decodes == 0) {
            return 0;
        }
        double ms = times.decodeMilliseconds(decodes, (int) roundUp(kv / decodes));
        return decodes > 1 && spec.model().groupedQuery()
                ? ms * (1 + spec.timing().decodeOverhead())
                : ms;
    }

    private double prefillMs(PlainBatch batch) {
        int prefills = 0;
        long kv = 0;
        long squares = 0;
        for (int i = 0; i < batch.size(); i++) {
            if (!batch.requests.get(i).prefillDone) {
                prefills++;
                kv += roundUp(batch.requests.get(i).processed);
                squares += (long) batch.tokens.get(i) * batch.tokens.get(i);
            }
        }
        if (prefills == 0) {
            return 0;
        }
        long side = (long) Math.rint(Math.sqrt((double) squares));
        boolean beyond = prefills > 1
                && !spec.quirks()
                && (kv > times.coverage().maxKvTokens()
                        || side > times.coverage().maxChunkTokens());
        double ms = spec.timing().sumPrefills() || beyond
                ? eachPrefillMs(batch)
                : times.prefillMilliseconds((int) kv, (int) side);
        return prefills > 1 && spec.model().groupedQuery()
                ? ms * (1 + spec.timing().prefillOverhead())
                : ms;
    }

    private double eachPrefillMs(PlainBatch batch) {
        double ms = times.prefillKernelMilliseconds();
        double longest = 0;
        for (int i = 0; i < batch.size(); i++) {
            PlainRequest request = batch.requests.get(i);
            if (!request.prefillDone) {
                int known = (int) roundUp(request.processed);
                ms += times.addedPrefillMilliseconds(known, batch.tokens.get(i));
                longest = Math.max(longest, times.prefillMilliseconds(known, batch.tokens.get(i)));
            }
        }
        return Math.max(ms, longest);
    }

    /** Returns the FLOPs of the batch divided by the peak of the device in that time, in percent. */
    double mfuPercent(PlainBatch batch, double seconds) {
        ModelShape model = spec.model();
        int tp = spec.cluster().tensorParallel();
        int devices = tp * spec.cluster().pipelineStages();
        long weights = spec.footprint()
                .map(size -> (size.activeParameters() + devices - 1) / devices)
                .orElse(model.parametersPerLayer(tp) * spec.layersPerStage());
        long pairs = 0;
        for (int i = 0; i < batch.size(); i++) {
            long tokens = batch.tokens.get(i);
            pairs += tokens * (tokens + batch.requests.get(i).processed);
        }
        int heads = model.queryHeads() / tp;
        double perPair = 4.0 * spec.layersPerStage() * heads * model.headDim();
        double flops = 2.0 * weights * batch.totalTokens() + perPair * pairs;
        double tera = spec.quirks() ? 0x1p40 : 1e12;
        return 100 * (flops / seconds) / (spec.cluster().tflops() * tera);
    }

    private long roundUp(long tokens) {
        int granularity = times.coverage().kvGranularity();
        return (tokens + granularity - 1) / granularity * granularity;
    }
}
