package dev.stagesim.sim.serving;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * The distinct replicas that receive requests at the same time, and their planning order: ascending, or the iteration order
 * of a CPython set, where the hash of a small number is the number.
 */
final class ReplicaWakeOrder {
    /** Table size of an empty set; a smaller number of replicas is always in ascending order. */
    private static final int MIN_SLOTS = 8;

    private static final int FREE = -1;

    /** Number of neighbours to probe before the next jump. */
    private static final int PROBES = 9;

    private static final int PERTURB_SHIFT = 5;
    private static final int GROWTH = 4;

    private final boolean[] touched;
    private final int[] placed;
    private final boolean isHashed;
    private int count;

    ReplicaWakeOrder(int replicas, boolean isHashed) {
        this.touched = new boolean[replicas];
        this.placed = new int[replicas];
        this.isHashed = isHashed && replicas > MIN_SLOTS;
    }

    void add(int replica) {
        if (!touched[replica]) {
            touched[replica] = true;
            placed[count++] = replica;
        }
    }

    /** Passes the replicas in order to {@code replicas} and clears the set. */
    void drain(IntConsumer replicas) {
        if (count > 1) {
            order();
        }
        int size = count;
        count = 0;
        for (int i = 0; i < size; i++) {
            touched[placed[i]] = false;
            replicas.accept(placed[i]);
        }
    }

    private void order() {
        if (!isHashed) {
            Arrays.sort(placed, 0, count);
            return;
        }
        int[] table = slots(MIN_SLOTS);
        for (int i = 0; i < count; i++) {
            put(table, placed[i]);
            if ((i + 1) * 5 >= (table.length - 1) * 3) {
                table = grown(table, i + 1);
            }
        }
        int at = 0;
        for (int replica : table) {
            if (replica != FREE) {
                placed[at++] = replica;
            }
        }
    }

    private static int[] slots(int size) {
        int[] table = new int[size];
        Arrays.fill(table, FREE);
        return table;
    }

    private static int[] grown(int[] table, int used) {
        int[] wider = slots(Math.max(MIN_SLOTS, 2 * Integer.highestOneBit(GROWTH * used)));
        for (int replica : table) {
            if (replica != FREE) {
                put(wider, replica);
            }
        }
        return wider;
    }

    private static void put(int[] table, int replica) {
        int mask = table.length - 1;
        int perturb = replica;
        int slot = replica & mask;
        while (true) {
            int last = slot + PROBES <= mask ? slot + PROBES : slot;
            for (int i = slot; i <= last; i++) {
                if (table[i] == FREE) {
                    table[i] = replica;
                    return;
                }
            }
            perturb >>= PERTURB_SHIFT;
            slot = (slot * 5 + 1 + perturb) & mask;
        }
    }
}
