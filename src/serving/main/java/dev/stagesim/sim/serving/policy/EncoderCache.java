package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.request.MediaItem;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The cache of embeddings of media items, and the encoder budget of a step.
 *
 * <p>Both have the same limit in tokens. Items without references are evicted, oldest first, when memory is needed.
 */
final class EncoderCache {
    private final int capacity;
    private final Map<Long, Integer> sizes = new LinkedHashMap<>();
    private final Map<Long, Set<LiveRequest>> users = new LinkedHashMap<>();
    /** Items without references, oldest first, with their sizes. */
    private final Map<Long, Integer> idle = new LinkedHashMap<>();

    private int used;
    private int budget;

    EncoderCache(int capacity) {
        this.capacity = capacity;
    }

    void beginStep() {
        budget = capacity;
    }

    /**
     * Truncates a chunk before the first item that is neither in the cache nor can be computed in this step.
     *
     * @param ahead positions after the chunk that the draft model also reads
     * @return remaining tokens of the chunk
     */
    int cut(LiveRequest request, int start, int tokens, int ahead) {
        List<MediaItem> items = request.spec.identity().media();
        int wanted = 0;
        Set<Long> planned = new LinkedHashSet<>();
        for (MediaItem item : items) {
            if (item.start() >= start + tokens + ahead) {
                break;
            }
            if (item.end() <= start || sizes.containsKey(item.id()) || !planned.add(item.id())) {
                continue;
            }
            wanted += item.tokens();
            if (wanted > budget || used - reclaimable(items, start) + wanted > capacity) {
                return Math.max(0, item.start() - start - ahead);
            }
        }
        return tokens;
    }

    /** Returns the size of idle items, except the items that a prompt needs from {@code start} on. */
    private int reclaimable(List<MediaItem> needed, int start) {
        int room = 0;
        for (Map.Entry<Long, Integer> entry : idle.entrySet()) {
            if (needed.stream().noneMatch(item -> item.id() == entry.getKey() && item.end() > start)) {
                room += entry.getValue();
            }
        }
        return room;
    }

    /** References the items of a scheduled chunk. */
    void take(LiveRequest request, int start, int tokens, int ahead) {
        for (MediaItem item : request.spec.identity().media()) {
            if (item.start() >= start + tokens + ahead) {
                break;
            }
            if (item.end() > start) {
                use(request, item);
            }
        }
    }

    private void use(LiveRequest request, MediaItem item) {
        idle.remove(item.id());
        users.computeIfAbsent(item.id(), id -> new LinkedHashSet<>()).add(request);
        if (sizes.putIfAbsent(item.id(), item.tokens()) == null) {
            used += item.tokens();
            budget -= item.tokens();
            while (used > capacity && !idle.isEmpty()) {
                Iterator<Map.Entry<Long, Integer>> oldest = idle.entrySet().iterator();
                Map.Entry<Long, Integer> gone = oldest.next();
                used -= gone.getValue();
                sizes.remove(gone.getKey());
                oldest.remove();
            }
        }
    }

    /** Releases the items before the last position that is certainly computed. */
    void releaseBefore(LiveRequest request, int position) {
        for (MediaItem item : request.spec.identity().media()) {
            if (item.end() <= position) {
                release(request, item);
            }
        }
    }

    /** Releases all items of a request. */
    void release(LiveRequest request) {
        for (MediaItem item : request.spec.identity().media()) {
            release(request, item);
        }
    }

    private void release(LiveRequest request, MediaItem item) {
        Set<LiveRequest> holders = users.get(item.id());
        if (holders != null && holders.remove(request) && holders.isEmpty()) {
            users.remove(item.id());
            idle.put(item.id(), item.tokens());
        }
    }
}
