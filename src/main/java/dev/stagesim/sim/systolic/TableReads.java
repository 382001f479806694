package dev.stagesim.sim.systolic;

import java.util.Arrays;

/** Reads of an operand whose words may lie in several lines, with or without a model of memory banks. */
final class TableReads extends UserReads {
    private final LineTable table;
    private final boolean isBanked;
    private final int bankWidth;
    private final int ports;
    private final int[] linesOfBank;
    private final int[] stampOf;
    private int stamp;

    TableReads(
            Stream stream,
            ReadWindow window,
            LineTable table,
            OperandMemory memory,
            boolean isBanked,
            boolean isDoubled) {
        super(stream, window, isDoubled);
        this.table = table;
        this.isBanked = isBanked;
        bankWidth = Math.max(1, memory.bandwidth() / memory.banks());
        ports = memory.ports();
        linesOfBank = new int[isBanked ? memory.banks() : 0];
        stampOf = new int[isBanked ? table.lineCount() * memory.banks() : 0];
    }

    @Override
    void serveWords(int cycle, long now) {
        int high = stream.highPort(cycle);
        stamp++;
        Arrays.fill(linesOfBank, 0);
        for (int port = stream.lowPort(cycle); port <= high; port++) {
            long address = stream.at(cycle, port);
            if (address >= 0) {
                int entry = visibleEntry(address);
                while (entry < 0) {
                    fetch(now);
                    entry = visibleEntry(address);
                }
                if (isBanked) {
                    touch(entry);
                }
            }
        }
        if (isBanked) {
            int most = Arrays.stream(linesOfBank).max().orElse(0);
            offset += (most + ports - 1) / ports - 1;
        }
    }

    private int visibleEntry(long address) {
        int found = -1;
        int rank = Integer.MAX_VALUE;
        for (int entry = table.first(address); entry < table.end(address); entry++) {
            int line = table.line(entry);
            if (window.shows(line)) {
                if (!isBanked) {
                    return entry;
                }
                if (window.rank(line) < rank) {
                    rank = window.rank(line);
                    found = entry;
                }
            }
        }
        return found;
    }

    private void touch(int entry) {
        int bank = Math.min(table.column(entry) / bankWidth, linesOfBank.length - 1);
        int key = table.line(entry) * linesOfBank.length + bank;
        if (stampOf[key] != stamp) {
            stampOf[key] = stamp;
            linesOfBank[bank]++;
        }
    }
}
