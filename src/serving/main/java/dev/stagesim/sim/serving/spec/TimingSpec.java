package dev.stagesim.sim.serving.spec;

/**
 * The parameters for the time of a step beyond its operator times.
 *
 * @param decodeOverhead extra fraction of decode attention if several requests share the batch (grouped-query only)
 * @param prefillOverhead extra fraction of prefill attention if several chunks share the batch (grouped-query only)
 * @param ncclLaunchMs CPU launch overhead of a collective in ms
 * @param ncclSkewMs CPU skew of a collective in ms, multiplied by devices^1.25
 * @param sumPrefills true if the attention of several chunks is the sum over the chunks; false for one chunk with the same
 *         number of query-key pairs, as in the reference
 * @param cpuOverheads true if scheduling, sampling and transfer overheads of the serving engine are added
 * @param requestSeconds time from the arrival of a request until it can be scheduled
 * @param promptTokenSeconds additional time for each prompt token
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

    /** Overload for requests that can be scheduled on arrival and chunks that are merged as in the reference. */
    public TimingSpec(
            double decodeOverhead,
            double prefillOverhead,
            double ncclLaunchMs,
            double ncclSkewMs,
            boolean cpuOverheads) {
        this(decodeOverhead, prefillOverhead, ncclLaunchMs, ncclSkewMs, false, cpuOverheads, 0, 0);
    }

    /** Returns the time from the arrival of a request until it can be scheduled. */
    public double arrivalSeconds(int promptTokens) {
        return requestSeconds + promptTokenSeconds * promptTokens;
    }

    /** Returns a copy with another time until requests can be scheduled. */
    public TimingSpec withRequestSeconds(double seconds) {
        return withArrival(seconds, promptTokenSeconds);
    }

    /** Returns a copy with another time until requests can be scheduled, in total and per prompt token. */
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
