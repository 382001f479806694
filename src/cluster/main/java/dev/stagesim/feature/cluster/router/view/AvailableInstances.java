package dev.stagesim.feature.cluster.router.view;

import java.util.BitSet;

/** The open instances of a group. Initially all are open. */
public final class AvailableInstances {
    private final BitSet open = new BitSet();

    /** Open instances, in ascending order until one is closed. */
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

    /** Returns the number of open and closed instances. */
    public int size() {
        return list.length;
    }

    public boolean isOpen(int instance) {
        return open.get(instance);
    }

    /** Returns the number of open instances. */
    public int count() {
        return count;
    }

    /** Returns an open instance by its index, less than {@link #count}. */
    public int at(int number) {
        return list[number];
    }

    /** Returns the first open instance from a number on, wrapping around. */
    public int from(int instance) {
        int next = open.nextSetBit(instance);
        return next >= 0 ? next : open.nextSetBit(0);
    }
}
