package dev.stagesim.feature.pytorch.link;

import java.util.Arrays;
import java.util.SortedMap;

/**
 * Synchronisations by external ids of events.
 *
 * @param starts ids of the awaited events, by the id of the event that ends the wait
 */
public record SyncTable(SortedMap<Long, long[]> starts) {
    /** Ids that must complete before the wait of {@code external} ends; empty if none. */
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
