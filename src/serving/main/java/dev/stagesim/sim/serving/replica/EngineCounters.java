package dev.stagesim.sim.serving.replica;

/**
 * The metrics of an engine with a prefix cache.
 *
 * @param lookupTokens tokens of new requests that were looked up in the cache
 * @param hitTokens tokens of them that were in the cache
 * @param preemptions number of preemptions
 * @param draftTokens draft tokens that were verified
 * @param acceptedTokens draft tokens that were accepted
 * @param adapterLoads LoRA adapters that were loaded into a slot
 */
public record EngineCounters(
        long lookupTokens, long hitTokens, long preemptions, long draftTokens, long acceptedTokens, long adapterLoads) {
    /** Returns the sum of two engines. */
    public EngineCounters plus(EngineCounters other) {
        return new EngineCounters(
                lookupTokens + other.lookupTokens,
                hitTokens + other.hitTokens,
                preemptions + other.preemptions,
                draftTokens + other.draftTokens,
                acceptedTokens + other.acceptedTokens,
                adapterLoads + other.adapterLoads);
    }

    /** Returns the share of the looked-up tokens that were in the cache. */
    public double hitRate() {
        return lookupTokens == 0 ? 0 : (double) hitTokens / lookupTokens;
    }
}
