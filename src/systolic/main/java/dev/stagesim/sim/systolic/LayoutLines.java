package dev.stagesim.sim.systolic;

import java.util.Arrays;

/** Lines of a memory with a custom layout. The word order within a line is computed on first use and cached. */
final class LayoutLines {
    private static final int MAX_WORDS = 1 << 20;
    private static final int MIN_CACHED = 64;

    private final LayoutSequence sequence;
    private final int lineWords;
    private final long offset;
    private final long layoutAddressError;
    private final long[] kept;
    private final int[][] columns;

    /**
     * Divides a layout into lines.
     *
     * @param offset address of the first word, which determines the order within a line
     * @param layoutAddressError distance in words between the requested word and the word that is found for it
     */
    LayoutLines(LayoutSequence sequence, int lineWords, long offset, long layoutAddressError) {
        this.sequence = sequence;
        this.lineWords = lineWords;
        this.offset = offset;
        this.layoutAddressError = layoutAddressError;
        int max = Integer.highestOneBit(Math.max(MIN_CACHED, MAX_WORDS / lineWords));
        int size = (int) Math.min(max, Long.highestOneBit(count()));
        kept = new long[size];
        columns = new int[size][0];
        Arrays.fill(kept, -1);
    }

    int lineWords() {
        return lineWords;
    }

    /** Number of lines; the last one may be empty. */
    long count() {
        return sequence.words() / lineWords + 1;
    }

    /** Returns the position of an address in the layout order. */
    long placeOf(long address) {
        return sequence.placeOf(address + layoutAddressError);
    }

    /**
     * Returns the position of a word within its line, in the iteration order of the set that the reference uses for a
     * line.
     */
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
        PythonSetOrder set = new PythonSetOrder();
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
