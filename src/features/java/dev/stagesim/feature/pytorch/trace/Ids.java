package dev.stagesim.feature.pytorch.trace;

import dev.stagesim.sim.core.LongIndex;

/** New identities from 0, given in the order of asking. */
final class Ids {
    private final LongIndex given;
    private int next;

    Ids(int expected) {
        given = new LongIndex(expected);
    }

    /** The new identity of an old one, given now if it has none yet. */
    long of(long old) {
        int id = given.get(old);
        if (id < 0) {
            id = next++;
            given.put(old, id);
        }
        return id;
    }

    /** A new identity of something that had none. */
    long fresh() {
        return next++;
    }

    /** The new identity of an old one if it has one by now, else the old one. */
    long known(long old) {
        int id = given.get(old);
        return id < 0 ? old : id;
    }

    /** Number of identities given so far. */
    int count() {
        return next;
    }
}
