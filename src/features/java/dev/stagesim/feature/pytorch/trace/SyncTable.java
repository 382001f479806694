package dev.stagesim.feature.pytorch.trace;

import java.util.Arrays;
import java.util.SortedMap;

/**
 * Synchronisations by external identities of events: what ends one, and what has to be done before.
 *
 * @param starts identities of the events that have to be done, by that of the event that ends the wait
 */
public record SyncTable(SortedMap<Long, long[]> starts) {
    /** Identities that have to be done before what {@code external} ends; empty for none. */
    long[] before(long external) {
        return starts.getOrDefault(external, new long[0]);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SyncTable that
                && starts.keySet().equals(that.starts.keySet())
                && starts.entrySet().stream()
                        .allMatch(entry -> Arrays.equals(entry.getValue(), that.starts.get(entry.getKey())));
    }

    @Override
    public int hashCode() {
        return starts.keySet().hashCode();
    }
}
