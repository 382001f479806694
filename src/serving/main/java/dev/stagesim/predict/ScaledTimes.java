package dev.stagesim.predict;

/**
 * Operator times with factors per kind of operator, and additional host time per step and request.
 *
 * @param times the base times; their host times are ignored
 * @param linear factor of all device operators except attention
 * @param decode factor of decode attention
 * @param prefill factor of prefill attention
 * @param stepMs host time per step
 * @param requestMs host time per request of a step
 * @param layerTokenMs additional time per token of a step and layer
 * @param layerCachedMs additional time per layer and cached token that decoding requests read
 */
public record ScaledTimes(
        OperatorTimes times,
        double linear,
        double decode,
        double prefill,
        double stepMs,
        double requestMs,
        double layerTokenMs,
        double layerCachedMs)
        implements OperatorTimes {
    /** Operator that includes the additional time per token. */
    public static final Operator PER_TOKEN = Operator.ATTN_PRE_PROJ;

    @Override
    public double milliseconds(Operator operator, int count) {
        if (operator == Operator.SCHEDULE) {
            return stepMs + requestMs * count;
        }
        if (operator.key() == Operator.Key.REQUESTS) {
            return 0;
        }
        return linear * times.milliseconds(operator, count) + (operator == PER_TOKEN ? layerTokenMs * count : 0);
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        return decode * times.decodeMilliseconds(batch, kvTokens) + layerCachedMs * batch * kvTokens;
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        return prefill * times.prefillMilliseconds(kvTokens, chunkTokens);
    }

    @Override
    public double addedPrefillMilliseconds(int kvTokens, int chunkTokens) {
        return prefill * times.addedPrefillMilliseconds(kvTokens, chunkTokens);
    }

    @Override
    public double prefillKernelMilliseconds() {
        return prefill * times.prefillKernelMilliseconds();
    }

    @Override
    public Coverage coverage() {
        return times.coverage();
    }
}
