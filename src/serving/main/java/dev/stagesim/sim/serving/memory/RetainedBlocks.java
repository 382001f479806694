package dev.stagesim.sim.serving.memory;

import java.util.Arrays;

/**
 * Free blocks that are evicted after all others until their retention time is over. They then return to their place in the
 * order of use.
 *
 * <p>All blocks have the same retention time, so their times end in the order of use. A retained block is overdue if a block
 * that was used later was evicted instead. A hit on an overdue block counts as saved. Every operation takes constant time.
 */
final class RetainedBlocks {
    private enum Place {
        ELSEWHERE,
        KEPT,
        OVERDUE,
        EXPIRED
    }

    private final CacheRetention settings;
    private final FreeBlocks kept;
    private final FreeBlocks overdue;
    private final FreeBlocks expired;
    private final double[] until;

    /** Number of the last release of each block, or 0 if it is not needed. */
    private final long[] use;

    private final Place[] place;
    private long uses;

    RetainedBlocks(CacheRetention settings, int blocks) {
        this.settings = settings;
        kept = FreeBlocks.none();
        overdue = FreeBlocks.none();
        expired = FreeBlocks.none();
        until = new double[blocks];
        use = new long[blocks];
        place = new Place[blocks];
        Arrays.fill(place, Place.ELSEWHERE);
    }

    double until(int request) {
        return settings.until(request);
    }

    /** Marks a block of a request for retention until {@code time} after its release. */
    void mark(int block, double time) {
        until[block] = Math.max(until[block], time);
    }

    /** Releases a block with keys. Returns true if it is retained. */
    boolean keep(int block) {
        use[block] = ++uses;
        if (until[block] <= settings.now()) {
            until[block] = 0;
            return false;
        }
        kept.append(block);
        place[block] = Place.KEPT;
        settings.held(kept.size() + overdue.size());
        return true;
    }

    /** Releases a block without keys. */
    void forget(int block) {
        use[block] = 0;
        until[block] = 0;
    }

    /** Removes a free block that is referenced again. Returns true if it was retained. */
    boolean leave(int block) {
        Place was = place[block];
        if (was == Place.ELSEWHERE) {
            return false;
        }
        (was == Place.KEPT ? kept : was == Place.OVERDUE ? overdue : expired).remove(block);
        place[block] = Place.ELSEWHERE;
        if (was == Place.OVERDUE) {
            settings.saved();
        }
        settings.held(kept.size() + overdue.size());
        return true;
    }

    /** Takes the first block in eviction order; {@code queue} contains the blocks that are not retained. */
    int take(FreeBlocks queue) {
        expire(overdue);
        if (overdue.size() == 0) {
            expire(kept);
        }
        int first = queue.first();
        int old = expired.first();
        if (first < 0 && old < 0) {
            return taken((overdue.size() > 0 ? overdue : kept).takeFirst());
        }
        boolean isOld = first < 0 || (old >= 0 && use[old] < use[first]);
        int block = (isOld ? expired : queue).takeFirst();
        int skipped = kept.first();
        if (skipped >= 0 && use[skipped] < use[block]) {
            kept.remove(skipped);
            overdue.append(skipped);
            place[skipped] = Place.OVERDUE;
        }
        return taken(block);
    }

    private int taken(int block) {
        place[block] = Place.ELSEWHERE;
        until[block] = 0;
        settings.held(kept.size() + overdue.size());
        return block;
    }

    private void expire(FreeBlocks ring) {
        for (int block = ring.first(); block >= 0 && until[block] <= settings.now(); block = ring.first()) {
            ring.remove(block);
            expired.append(block);
            place[block] = Place.EXPIRED;
        }
    }

    int size() {
        return kept.size() + overdue.size() + expired.size();
    }
}
