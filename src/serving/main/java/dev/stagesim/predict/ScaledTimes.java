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
 */
public record ScaledTimes(
        OperatorTimes times, double linear, double decode, double prefill, double stepMs, double requestMs)
        implements OperatorTimes {
    @Override
    public double milliseconds(Operator operator, int count) {
        if (operator == Operator.SCHEDULE) {
            return stepMs + requestMs * count;
        }
        return operator.key() == Operator.Key.REQUESTS ? 0 : linear * times.milliseconds(operator, count);
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        return decode * times.decodeMilliseconds(batch, kvTokens);
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        return prefill * times.prefillMilliseconds(kvTokens, chunkTokens);
    }

    @Override
    public Coverage coverage() {
        return times.coverage();
    }
}
