package dev.stagesim.feature.cluster;

import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/** Blocks of one tier by their keys; what was used longest ago goes to the tier below when there is no room. */
final class TierStore {
    private final long room;
    private final @Nullable TierStore below;
    private final LinkedHashMap<Long, Boolean> blocks = new LinkedHashMap<>(16, 0.75f, true);

    /** An empty store for so many blocks. */
    TierStore(long room, @Nullable TierStore below) {
        this.room = room;
        this.below = below;
    }

    boolean has(long key) {
        return blocks.containsKey(key);
    }

    /** Puts a block first in the order of use. */
    void put(long key) {
        blocks.put(key, true);
        if (blocks.size() > room) {
            Iterator<Long> oldest = blocks.keySet().iterator();
            long gone = oldest.next();
            oldest.remove();
            if (below != null) {
                below.put(gone);
            }
        }
    }

    void remove(long key) {
        blocks.remove(key);
    }

    void clear() {
        blocks.clear();
    }

    int size() {
        return blocks.size();
    }
}
