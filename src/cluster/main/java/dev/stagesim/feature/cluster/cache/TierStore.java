package dev.stagesim.feature.cluster.cache;

import dev.stagesim.sim.serving.memory.CacheEvents;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one tier, by key. If the store is full, the least recently used block moves to the tier below.
 *
 * <p>Retained blocks are evicted after all others. All have the same retention time, so they expire in order of use,
 * and then rejoin that order. O(1) per block.
 */
public final class TierStore {
    private final long capacity;
    private final @Nullable TierStore below;

    /** Sequence number of the last use, by key, least recent first. */
    private final LinkedHashMap<Long, Long> blocks = new LinkedHashMap<>();

    private final LinkedHashMap<Long, Long> expired = new LinkedHashMap<>();
    private final LinkedHashMap<Long, Retained> retained = new LinkedHashMap<>();

    /** Number of requests that wait for each prefetched block. */
    private final LinkedHashMap<Long, Integer> pinned = new LinkedHashMap<>();

    private long useCount;

    /** Listener of stored and removed blocks, or null if absent. */
    @Nullable
    CacheEvents events;

    /** Sequence number of the last use, and the end of retention in seconds. */
    private record Retained(long use, double until) {}

    /** Creates an empty store for {@code capacity} blocks. {@code below} receives evicted blocks. */
    public TierStore(long capacity, @Nullable TierStore below) {
        this.capacity = capacity;
        this.below = below;
    }

    boolean has(long key) {
        return blocks.containsKey(key)
                || expired.containsKey(key)
                || retained.containsKey(key)
                || pinned.containsKey(key);
    }

    /** Stores a block as most recently used. It is retained if {@code until} is after {@code now}. */
    void put(long key, double now, double until) {
        if (pinned.containsKey(key)) {
            return;
        }
        boolean isNew = !drop(key);
        useCount++;
        if (until > now) {
            retained.put(key, new Retained(useCount, until));
        } else {
            blocks.put(key, useCount);
        }
        notifyStored(key, isNew);
        shrink(now);
    }

    private void notifyStored(long key, boolean isNew) {
        if (events != null && isNew) {
            events.stored(key);
        }
    }

    private void notifyRemoved(long key) {
        if (events != null) {
            events.removed(key);
        }
    }

    private void shrink(double now) {
        if (size() > capacity) {
            long evicted = evictOne(now);
            notifyRemoved(evicted);
            if (below != null) {
                below.put(evicted, now, now);
            }
        }
    }

    /** Pins a block. Pinned blocks are evicted only if the store has no others. */
    void pin(long key, double now) {
        boolean isNew = !has(key);
        if (pinned.merge(key, 1, Integer::sum) == 1) {
            blocks.remove(key);
            expired.remove(key);
            retained.remove(key);
            notifyStored(key, isNew);
            shrink(now);
        }
    }

    /** Removes one pin. The last one makes the block most recently used. */
    void unpin(long key, double now) {
        Integer count = pinned.get(key);
        if (count != null && count > 1) {
            pinned.put(key, count - 1);
        } else if (count != null) {
            pinned.remove(key);
            blocks.put(key, ++useCount);
            shrink(now);
        }
    }

    long capacity() {
        return capacity;
    }

    private long evictOne(double now) {
        Iterator<Map.Entry<Long, Retained>> oldest = retained.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<Long, Retained> next = oldest.next();
            if (next.getValue().until() > now) {
                break;
            }
            expired.put(next.getKey(), next.getValue().use());
            oldest.remove();
        }
        boolean isFree = use(blocks) < use(expired);
        Map<Long, ?> from = isFree ? blocks : !expired.isEmpty() ? expired : retained.isEmpty() ? pinned : retained;
        long key = from.keySet().iterator().next();
        from.remove(key);
        return key;
    }

    private static long use(LinkedHashMap<Long, Long> order) {
        return order.isEmpty() ? Long.MAX_VALUE : order.values().iterator().next();
    }

    void remove(long key) {
        if (drop(key)) {
            notifyRemoved(key);
        }
    }

    /** Removes a block. Returns true if it was present. */
    private boolean drop(long key) {
        int before = size();
        blocks.remove(key);
        expired.remove(key);
        retained.remove(key);
        pinned.remove(key);
        return size() < before;
    }

    void clear() {
        if (events != null) {
            events.begins(KvTiers.BLOCK, KvTiers.BLOCK);
        }
        pinned.clear();
        blocks.clear();
        expired.clear();
        retained.clear();
    }

    int size() {
        return blocks.size() + expired.size() + retained.size() + pinned.size();
    }
}
