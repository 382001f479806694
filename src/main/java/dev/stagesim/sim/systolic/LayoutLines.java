package dev.stagesim.sim.systolic;

import java.util.Arrays;

/** The lines of a memory with a custom layout; the order within a line is found when it is first asked for. */
final class LayoutLines {
    private static final int MOST_WORDS = 1 << 20;
    private static final int LEAST_KEPT = 64;

    private final LayoutSequence sequence;
    private final int lineWords;
    private final long offset;
    private final long missedBy;
    private final long[] kept;
    private final int[][] columns;

    /**
     * Cuts a layout into lines.
     *
     * @param offset address of the first word, which decides on a line's own order
     * @param missedBy how far behind a word the one lies that is found for it
     */
    LayoutLines(LayoutSequence sequence, int lineWords, long offset, long missedBy) {
        this.sequence = sequence;
        this.lineWords = lineWords;
        this.offset = offset;
        this.missedBy = missedBy;
        int most = Integer.highestOneBit(Math.max(LEAST_KEPT, MOST_WORDS / lineWords));
        int size = (int) Math.min(most, Long.highestOneBit(count()));
        kept = new long[size];
        columns = new int[size][0];
        Arrays.fill(kept, -1);
    }

    int lineWords() {
        return lineWords;
    }

    /** Lines, the last of which may be empty. */
    long count() {
        return sequence.words() / lineWords + 1;
    }

    /** Number of a word in the order of the layout. */
    long placeOf(long address) {
        return sequence.placeOf(address + missedBy);
    }

    /** Where a word lies within its line, in the order of the set that the reference keeps a line in. */
    int column(long place) {
        long line = place / lineWords;
        int slot = (int) (line & (kept.length - 1));
        if (kept[slot] != line) {
            kept[slot] = line;
            columns[slot] = order(line);
        }
        return columns[slot][(int) (place % lineWords)];
    }

    private int[] order(long line) {
        long from = line * lineWords;
        int size = (int) Math.min(lineWords, sequence.words() - from);
        HashOrder set = new HashOrder();
        for (int i = 0; i < size; i++) {
            set.add(sequence.addressAt(from + i) + offset);
        }
        int[] order = new int[size];
        long[] inOrder = set.toArray();
        for (int i = 0; i < size; i++) {
            order[(int) (sequence.placeOf(inOrder[i] - offset) - from)] = i;
        }
        return order;
    }
}
