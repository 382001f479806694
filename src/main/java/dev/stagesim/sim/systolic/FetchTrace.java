package dev.stagesim.sim.systolic;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/** Fetches of an operand over an interface of given bandwidth, with the reference's bookkeeping of rows. */
final class FetchTrace {
    private final OperandMemory memory;
    private final TraceFile file;
    private final TraceSink sink;
    private final long active;
    private long[][] rows = new long[0][];
    private boolean isFirst = true;
    private int column;
    private int next;

    FetchTrace(OperandMemory memory, TraceFile file, TraceSink sink) {
        this.memory = memory;
        this.file = file;
        this.sink = sink;
        active = (memory.words() + 1) / 2;
    }

    /** Cuts the fetch order into rows. */
    void load(long[] order) {
        int width = memory.bandwidth();
        rows = new long[(order.length + width - 1) / width][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = new long[width];
            Arrays.fill(rows[i], -1);
            int from = i * width;
            System.arraycopy(order, from, rows[i], 0, Math.min(width, order.length - from));
        }
    }

    void fetched(long count, LongUnaryOperator done) {
        boolean isOver = count * memory.bandwidth() > active;
        int valid = (int) (active % memory.bandwidth());
        long[][] block = isFirst ? Arrays.copyOf(rows, (int) count) : block((int) count);
        if (isFirst) {
            isFirst = false;
            column = isOver ? valid : 0;
        } else if (block.length > 0) {
            Arrays.fill(block[0], 0, column, -1);
        }
        if (isOver && block.length > 0) {
            long[] last = block[block.length - 1];
            Arrays.fill(last, valid, last.length, -1);
        }
        next = (int) ((isOver ? count : count + 1) % rows.length);
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < block.length; i++) {
            line.setLength(0);
            line.append(done.applyAsLong(i)).append(".0");
            for (long address : block[i]) {
                line.append(',')
                        .append(address < 0 ? -1 : address + memory.offset())
                        .append(".0");
            }
            sink.line(file, line);
        }
    }

    /** Rows from where the last fetch ended; what wraps around is a copy, so blanking it leaves the original. */
    private long[][] block(int count) {
        int end = next + count;
        if (end <= rows.length) {
            return Arrays.copyOfRange(rows, next, end);
        }
        int wrapped = Math.min(end - rows.length, next);
        long[][] block = new long[rows.length - next + wrapped][];
        for (int i = 0; i < block.length; i++) {
            block[i] = rows[(next + i) % rows.length].clone();
        }
        return block;
    }
}
