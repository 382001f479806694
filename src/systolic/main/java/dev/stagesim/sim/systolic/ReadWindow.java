package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.TrafficSpan;
import java.util.function.LongUnaryOperator;

/**
 * Sliding window over an operand's lines: the lines that are on chip, and the fetches that advance the window (double
 * buffering).
 */
final class ReadWindow {
    private final long lines;
    private final long active;
    private final long ahead;
    private final long firstRows;
    private final long nextRows;
    private final int bandwidth;
    private final ReplayPort port;
    private final FetchListener listener;
    private final LongUnaryOperator completion;
    private long low;
    private long high;
    private long last;
    private long earliest = Long.MAX_VALUE;
    private long latest = Long.MIN_VALUE;
    private long words;

    /** Receives every fetch. */
    interface FetchListener {
        void fetched(long rows, LongUnaryOperator done);
    }

    /**
     * @param memory memory of the operand
     * @param entries entries in the fetch order, padding included
     * @param listener receives the fetches
     */
    ReadWindow(OperandMemory memory, long lines, long lineWords, long entries, FetchListener listener) {
        this.lines = lines;
        this.listener = listener;
        long total = memory.words();
        long shown = (total + 1) / 2;
        long fetched = total - shown;
        active = Math.min(lines, (shown + lineWords - 1) / lineWords);
        ahead = Math.min(lines - active, (fetched + lineWords - 1) / lineWords);
        bandwidth = memory.bandwidth();
        long rows = (entries + bandwidth - 1) / bandwidth;
        firstRows = Math.min((shown + bandwidth - 1) / bandwidth, rows);
        nextRows = (fetched + bandwidth - 1) / bandwidth;
        port = new ReplayPort(memory, 1);
        completion = port::completion;
        high = active;
    }

    /** Fills the memory before the first cycle; returns the delay of that cycle. */
    long fill() {
        port.last(-firstRows - 1, firstRows);
        note(firstRows);
        last = port.latest();
        listener.fetched(firstRows, completion);
        return last + 1;
    }

    boolean contains(long line) {
        return low < high ? low <= line && line < high : low <= line || line < high;
    }

    /** Advances the window; returns the arrival cycle of the new lines. */
    long advance() {
        if (ahead == 0) {
            throw new IllegalStateException("no line contains the word");
        }
        low = (low + ahead) % lines;
        high = (low + active) % lines;
        port.last(last + 1, nextRows);
        note(nextRows);
        last = port.latest();
        listener.fetched(nextRows, completion);
        return last;
    }

    /** Traffic up to now. */
    TrafficSpan span() {
        return new TrafficSpan(earliest, latest, words);
    }

    private void note(long rows) {
        words += rows * bandwidth;
        earliest = Math.min(earliest, port.earliest());
        latest = Math.max(latest, port.latest());
    }
}
