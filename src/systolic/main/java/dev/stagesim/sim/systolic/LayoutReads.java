package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.Stream;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import java.util.Arrays;

/** Reads of an operand with a custom layout from memory banks; each bank serves {@code ports} lines per cycle. */
final class LayoutReads extends UserReads {
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;
    private static final int SHIFT = 40;

    private final LayoutLines lines;
    private final int bankWidth;
    private final int ports;
    private final int[] linesOfBank;
    /**
     * Hash set of (line, bank) pairs accessed in the current cycle; a slot is valid if its stamp equals the cycle's
     * stamp.
     */
    private final long[] touched;

    private final int[] stampOf;
    private int stamp;

    LayoutReads(Stream stream, ReadWindow window, LayoutLines lines, OperandMemory memory) {
        super(stream, window, false);
        this.lines = lines;
        bankWidth = Math.max(1, memory.bandwidth() / memory.banks());
        ports = memory.ports();
        linesOfBank = new int[memory.banks()];
        touched = new long[Integer.highestOneBit(Math.max(1, stream.ports())) * 4];
        stampOf = new int[touched.length];
    }

    @Override
    void readCycle(int cycle, long now) {
        int high = stream.highPort(cycle);
        stamp++;
        Arrays.fill(linesOfBank, 0);
        for (int port = stream.lowPort(cycle); port <= high; port++) {
            long address = stream.at(cycle, port);
            if (address >= 0) {
                long place = lines.placeOf(address);
                long line = place / lines.lineWords();
                while (!window.contains(line)) {
                    fetch(now);
                }
                touch(line, linesOfBank.length == 1 ? 0 : lines.column(place) / bankWidth);
            }
        }
        int max = 0;
        for (int count : linesOfBank) {
            max = Math.max(max, count);
        }
        offset += (max + ports - 1) / ports - 1;
    }

    private void touch(long line, int column) {
        int bank = Math.min(column, linesOfBank.length - 1);
        long key = line * linesOfBank.length + bank;
        int slot = (int) ((key * MIX) >>> SHIFT) & (touched.length - 1);
        while (stampOf[slot] == stamp && touched[slot] != key) {
            slot = (slot + 1) & (touched.length - 1);
        }
        if (stampOf[slot] != stamp) {
            stampOf[slot] = stamp;
            touched[slot] = key;
            linesOfBank[bank]++;
        }
    }
}
