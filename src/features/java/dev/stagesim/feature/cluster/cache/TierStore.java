package dev.stagesim.feature.cluster.cache;

import dev.stagesim.sim.serving.memory.CacheEvents;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of one tier by their keys; what was used longest ago goes to the tier below when there is no room.
 *
 * <p>Blocks that are retained go after all others. All are retained for the same time, so that they expire in the order of
 * use, and then have their place in it again. O(1) for each block.
 */
public final class TierStore {
    private final long capacity;
    private final @Nullable TierStore below;

    /** Numbers of the last use by key, the oldest first. */
    private final LinkedHashMap<Long, Long> blocks = new LinkedHashMap<>();

    private final LinkedHashMap<Long, Long> expired = new LinkedHashMap<>();
    private final LinkedHashMap<Long, Retained> retained = new LinkedHashMap<>();

    /** Blocks that are waited for, with how many wait for each. */
    private final LinkedHashMap<Long, Integer> pinned = new LinkedHashMap<>();

    private long useCount;

    /** Hears of its blocks; null for nobody. */
    @Nullable
    CacheEvents events;

    /** A use, and until when the block is retained. */
    private record Retained(long use, double until) {}

    /** An empty store for so many blocks. */
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

    /** Puts a block last in the order in which they give way; retained after {@code now} where {@code until} is. */
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

    /** Puts a block that gives way to nothing but others of its kind until it is let go of as often. */
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

    /** Lets go of a block, which was used just now. */
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

    /** Takes a block out; whether it was here. */
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
