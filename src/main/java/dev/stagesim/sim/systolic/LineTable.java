package dev.stagesim.sim.systolic;

import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** For every address the lines that hold it, for operands whose words may lie in several lines. */
final class LineTable {
    private final int[] from;
    private final int[] lines;
    private final int[] columns;
    private final int[] ends;
    private final int lineCount;

    /**
     * Cuts a sequence of addresses into lines.
     *
     * @param words words of the operand
     * @param lineWords words of a line; -1 does not count
     * @param sequence hands every address, -1 for padding, to its argument; is asked twice
     * @param offset address of the first word, which decides on a line's own order
     */
    LineTable(int words, long lineWords, Consumer<LongConsumer> sequence, long offset) {
        from = new int[words + 1];
        sequence.accept(address -> {
            if (address >= 0) {
                from[(int) address + 1]++;
            }
        });
        for (int i = 0; i < words; i++) {
            from[i + 1] += from[i];
        }
        lines = new int[from[words]];
        columns = new int[from[words]];
        Filler filler = new Filler(lineWords, offset);
        sequence.accept(filler);
        filler.closeLine();
        lineCount = filler.line;
        ends = filler.next;
    }

    int lineCount() {
        return lineCount;
    }

    int first(long address) {
        return from[(int) address];
    }

    int end(long address) {
        return ends[(int) address];
    }

    int line(int entry) {
        return lines[entry];
    }

    /** Place of the address within the line. */
    int column(int entry) {
        return columns[entry];
    }

    private final class Filler implements LongConsumer {
        private final long lineWords;
        private final long offset;
        private final int[] next = from.clone();
        private HashOrder order = new HashOrder();
        private long inLine;
        private int line;

        Filler(long lineWords, long offset) {
            this.lineWords = lineWords;
            this.offset = offset;
        }

        @Override
        public void accept(long address) {
            if (address < 0) {
                return;
            }
            if (order.add(address + offset)) {
                int entry = next[(int) address]++;
                lines[entry] = line;
            }
            inLine++;
            if (inLine >= lineWords) {
                closeLine();
            }
        }

        void closeLine() {
            long[] inOrder = order.toArray();
            for (int i = 0; i < inOrder.length; i++) {
                columns[next[(int) (inOrder[i] - offset)] - 1] = i;
            }
            order = new HashOrder();
            inLine = 0;
            line++;
        }
    }
}
