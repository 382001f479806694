package dev.stagesim.feature.pytorch.link;

import dev.stagesim.sim.core.LongIndex;

/** Assigns new node ids from 0, in the order of the requests. */
final class Ids {
    private final LongIndex given;
    private int next;

    Ids(int expected) {
        given = new LongIndex(expected);
    }

    /** Returns the new id of an original id; assigns one if necessary. */
    long of(long old) {
        int id = given.get(old);
        if (id < 0) {
            id = next++;
            given.put(old, id);
        }
        return id;
    }

    /** Assigns an id to a node without an original id. */
    long fresh() {
        return next++;
    }

    /** Returns the new id of an original id, or the original id if none is assigned. */
    long known(long old) {
        int id = given.get(old);
        return id < 0 ? old : id;
    }

    /** Number of ids assigned. */
    int count() {
        return next;
    }
}
