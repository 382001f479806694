package dev.stagesim.sim.systolic;

import java.util.Arrays;

/**
 * Set of the words on chip; clearing takes constant time because entries are stamped with a phase.
 *
 * <p>Small operands use direct addressing, larger ones hashing. Memory is therefore bounded by the modelled buffer, not
 * by the operand.
 */
final class ResidentSet {
    private static final int DIRECT = 1 << 20;
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    private final int[] phaseOf;
    private final long[] keys;
    private final int shift;
    private int phase = 1;

    /**
     * @param words words in the operand, an upper bound of the addresses
     * @param capacity maximum words in the set before it is cleared
     */
    ResidentSet(long words, long capacity) {
        boolean isDirect = words <= DIRECT;
        int bits = 64 - Long.numberOfLeadingZeros(2 * Math.min(words, capacity));
        phaseOf = new int[isDirect ? (int) words : Math.toIntExact(1L << bits)];
        keys = new long[isDirect ? 0 : phaseOf.length];
        shift = 64 - bits;
    }

    /** Upper bound of the memory for a set, in bytes. */
    static double bytes(long words, long capacity) {
        return words <= DIRECT
                ? (double) words * Integer.BYTES
                : 4.0 * Math.min(words, capacity) * (Integer.BYTES + Long.BYTES);
    }

    /** Adds a word; returns true if it is new. */
    boolean add(long address) {
        int slot = keys.length == 0 ? (int) address : slot(address);
        if (phaseOf[slot] == phase) {
            return false;
        }
        phaseOf[slot] = phase;
        return true;
    }

    private int slot(long address) {
        int at = (int) ((address * MIX) >>> shift);
        while (phaseOf[at] == phase && keys[at] != address) {
            at = at + 1 < keys.length ? at + 1 : 0;
        }
        keys[at] = address;
        return at;
    }

    void clear() {
        if (phase == Integer.MAX_VALUE) {
            Arrays.fill(phaseOf, 0);
            phase = 0;
        }
        phase++;
    }
}
