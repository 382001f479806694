package dev.stagesim.predict;

/**
 * Operator times with those of some kinds multiplied, and with times of the host that grow with the number of requests.
 *
 * @param times what is multiplied; its times of the host are not asked for
 * @param linear factor of all operators on the device but attention
 * @param decode factor of decode attention
 * @param prefill factor of prefill attention
 * @param stepMs time of the host in every step
 * @param requestMs time of the host for each request of a step
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
