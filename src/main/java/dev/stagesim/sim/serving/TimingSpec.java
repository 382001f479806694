package dev.stagesim.sim.serving;

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

    /** Requests can be scheduled when they arrive; chunks are aggregated as the reference does. */
    public TimingSpec(
            double decodeOverhead,
            double prefillOverhead,
            double ncclLaunchMs,
            double ncclSkewMs,
            boolean cpuOverheads) {
        this(decodeOverhead, prefillOverhead, ncclLaunchMs, ncclSkewMs, false, cpuOverheads, 0, 0);
    }

    /** The same for prompts of any length. */
    public TimingSpec(
            double decodeOverhead,
            double prefillOverhead,
            double ncclLaunchMs,
            double ncclSkewMs,
            boolean sumPrefills,
            boolean cpuOverheads,
            double requestSeconds) {
        this(decodeOverhead, prefillOverhead, ncclLaunchMs, ncclSkewMs, sumPrefills, cpuOverheads, requestSeconds, 0);
    }

    /** Time from the arrival of a request with such a prompt until it can be scheduled. */
    public double arrivalSeconds(int promptTokens) {
        return requestSeconds + promptTokenSeconds * promptTokens;
    }

    /** The same with another time until requests can be scheduled. */
    public TimingSpec withRequestSeconds(double seconds) {
        return new TimingSpec(
                decodeOverhead,
                prefillOverhead,
                ncclLaunchMs,
                ncclSkewMs,
                sumPrefills,
                cpuOverheads,
                seconds,
                promptTokenSeconds);
    }

    /** The same with another time for each token of a prompt until it can be scheduled. */
    public TimingSpec withPromptTokenSeconds(double seconds) {
        return new TimingSpec(
                decodeOverhead,
                prefillOverhead,
                ncclLaunchMs,
                ncclSkewMs,
                sumPrefills,
                cpuOverheads,
                requestSeconds,
                seconds);
    }
}
