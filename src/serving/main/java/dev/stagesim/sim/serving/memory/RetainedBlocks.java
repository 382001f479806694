package dev.stagesim.sim.serving.memory;

import java.util.Arrays;

/**
 * Free blocks that give way after all others until their time is over; then they have their place in the order of use again.
 *
 * <p>All are kept for the same time, so that their times end in the order of use. A kept block is overdue when a block was taken
 * in its stead that was used after it; what is found of those has been saved. Every operation takes constant time.
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

    /** The number of the last release of each block; 0 where that is of no use. */
    private final long[] use;

    private final Place[] place;
    private long uses;

    RetainedBlocks(CacheRetention settings, int blocks) {
        this.settings = settings;
        kept = FreeBlocks.none(blocks);
        overdue = FreeBlocks.none(blocks);
        expired = FreeBlocks.none(blocks);
        until = new double[blocks];
        use = new long[blocks];
        place = new Place[blocks];
        Arrays.fill(place, Place.ELSEWHERE);
    }

    double until(int request) {
        return settings.until(request);
    }

    /** A request that has a block asks for it to be kept when nobody refers to it any more. */
    void mark(int block, double time) {
        until[block] = Math.max(until[block], time);
    }

    /** A block that can be found is free; whether it is kept here. */
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

    /** A block that cannot be found is free. */
    void forget(int block) {
        use[block] = 0;
        until[block] = 0;
    }

    /** A block that is free is referred to again; whether it was kept here. */
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

    /** Takes the block that gives way first; {@code queue} has those that are not kept. */
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
