package dev.stagesim.feature.cluster.router.view;

import java.util.BitSet;

/** The instances of a group that may be chosen; all of them at first. */
public final class AvailableInstances {
    private final BitSet open = new BitSet();

    /** Those that are open, in an order that is theirs by number until one is closed. */
    private final int[] list;

    private final int[] place;
    private int count;

    AvailableInstances(int size) {
        list = new int[size];
        place = new int[size];
        for (int i = 0; i < size; i++) {
            open(i);
        }
    }

    public void open(int instance) {
        if (!open.get(instance)) {
            open.set(instance);
            place[instance] = count;
            list[count++] = instance;
        }
    }

    public void close(int instance) {
        if (open.get(instance)) {
            open.clear(instance);
            int last = list[--count];
            list[place[instance]] = last;
            place[last] = place[instance];
        }
    }

    /** How many there would be with all of them open. */
    public int size() {
        return list.length;
    }

    public boolean isOpen(int instance) {
        return open.get(instance);
    }

    /** How many there are. */
    public int count() {
        return count;
    }

    /** One of them, by a number below {@link #count}. */
    public int at(int number) {
        return list[number];
    }

    /** The first from a number on, going round. */
    public int from(int instance) {
        int next = open.nextSetBit(instance);
        return next >= 0 ? next : open.nextSetBit(0);
    }
}
