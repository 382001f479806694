package dev.stagesim.sim.serving;

import dev.stagesim.model.card.StepCard;

/**
 * How operator times add up to the time of a step.
 *
 * @param decodeOverhead extra fraction of decode attention when several requests share the batch (grouped-query only)
 * @param prefillOverhead extra fraction of prefill attention when several chunks share the batch (grouped-query only)
 * @param ncclLaunchMs CPU launch overhead of a collective in ms
 * @param ncclSkewMs CPU skew of a collective in ms, multiplied by devices^1.25
 * @param sumPrefills true when the attention of several chunks in a batch is the sum of each alone; false for one chunk
 *     of as many query-key pairs, as the reference does
 * @param cpuOverheads true when scheduling, sampling and transfer overheads of the serving engine are added
 * @param requestSeconds time from a request's arrival until it can be scheduled
 * @param promptTokenSeconds more of it for each token of the prompt
 */
public record TimingSpec(
        double decodeOverhead,
        double prefillOverhead,
        double ncclLaunchMs,
        double ncclSkewMs,
        boolean sumPrefills,
        boolean cpuOverheads,
        double requestSeconds,
        double promptTokenSeconds) {
    /** The reference's defaults: 10 % batching overheads, 20 us launch, no skew, no CPU overheads. */
    public static final TimingSpec DEFAULT = new TimingSpec(0.1, 0.1, 0.02, 0.0, false);

    private static final double US_PER_S = 1e6;

    /** Requests can be scheduled when they arrive; chunks are aggregated as the reference does. */
    public TimingSpec(
            double decodeOverhead,
            double prefillOverhead,
            double ncclLaunchMs,
            double ncclSkewMs,
            boolean cpuOverheads) {
        this(decodeOverhead, prefillOverhead, ncclLaunchMs, ncclSkewMs, false, cpuOverheads, 0, 0);
    }

    /** Of an engine whose operator times have all overheads: what its card says of arrivals. */
    public static TimingSpec of(StepCard engine) {
        return new TimingSpec(
                0, 0, 0, 0, true, false, engine.requestUs() / US_PER_S, engine.promptTokenUs() / US_PER_S);
    }

    /** Time from the arrival of a request with such a prompt until it can be scheduled. */
    public double arrivalSeconds(int promptTokens) {
        return requestSeconds + promptTokenSeconds * promptTokens;
    }

    /** The same with another time until requests can be scheduled. */
    public TimingSpec withRequestSeconds(double seconds) {
        return withArrival(seconds, promptTokenSeconds);
    }

    /** The same with another time until requests can be scheduled, and for each token of their prompts. */
    public TimingSpec withArrival(double request, double promptToken) {
        return new TimingSpec(
                decodeOverhead,
                prefillOverhead,
                ncclLaunchMs,
                ncclSkewMs,
                sumPrefills,
                cpuOverheads,
                request,
                promptToken);
    }
}
