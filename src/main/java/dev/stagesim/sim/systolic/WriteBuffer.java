package dev.stagesim.sim.systolic;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * The output memory: words are packed into lines, and when half the memory is full a drain empties the other half.
 *
 * <p>Cycles must not decrease. A line that a drain closes early has holes; the holes of the last drained line alone are
 * discounted by the reference.
 */
final class WriteBuffer {
    private final int lineWords;
    private final long keep;
    private final long linesPerDrain;
    private final ReplayPort port;
    private final Compat compat;
    private final RunListener listener;
    private final LongUnaryOperator completion;
    private final ArrayDeque<long[]> shortLines = new ArrayDeque<>();
    private long free;
    private long open;
    private long closed;
    private long drained;
    private long drainEnd;
    private long firstDrain = Long.MAX_VALUE;
    private long lastDrain = Long.MIN_VALUE;
    private long reported;
    private long words;
    private long linesAlike;
    private long reportedAlike;

    WriteBuffer(OperandMemory memory, int lineWords, int queue, Compat compat, RunListener listener) {
        this.lineWords = lineWords;
        this.compat = compat;
        this.listener = listener;
        long total = memory.words();
        keep = (total + 1) / 2;
        linesPerDrain = (total - keep + lineWords - 1) / lineWords;
        free = total;
        port = new ReplayPort(memory, queue, 0);
        completion = port::completion;
    }

    /** Writes {@code count} words of one array cycle; answers the cycle at which they are in. */
    long write(int count, long cycle) {
        long now = cycle;
        long left = count;
        words += count;
        while (left > 0) {
            if (now < drainEnd) {
                long step = Math.min(left, Math.max(1, free));
                add(step);
                left -= step;
                if (free <= 0) {
                    now = drainEnd;
                }
            } else {
                long step = Math.min(left, Math.max(1, free - keep + 1));
                add(step);
                left -= step;
                if (free < keep) {
                    closeLine();
                    drain(now);
                }
            }
        }
        return now;
    }

    /** Words until the next drain may begin, and the cycle before which it may not. */
    long wordsToDrain() {
        return Math.max(1, free - keep + 1);
    }

    long drainEnd() {
        return drainEnd;
    }

    /** Takes words that are known not to wait. */
    void add(long count) {
        free -= count;
        open += count;
        closed += open / lineWords;
        open %= lineWords;
    }

    /**
     * Adds words and drains at {@code cycle}, for callers that have found the cycle themselves; answers whether the buffer is
     * as it was before, but for the lines and words that went through it.
     */
    boolean addAndDrain(long count, long cycle) {
        long freeBefore = free;
        long heldBefore = closed - drained;
        long[] shortBefore = shortPlaces();
        long linesBefore = closed;
        long reportedBefore = reported;
        words += count;
        add(count);
        closeLine();
        drain(cycle);
        linesAlike = closed - linesBefore;
        reportedAlike = reported - reportedBefore;
        return free == freeBefore && closed - drained == heldBefore && Arrays.equals(shortBefore, shortPlaces());
    }

    /** Lines that were closed early and their words, counted from the last drained one. */
    private long[] shortPlaces() {
        return shortLines.stream()
                .flatMapToLong(line -> LongStream.of(line[0] - drained, line[1]))
                .toArray();
    }

    /** Adds what {@code times} more drains like the last would, each after {@code count} words. */
    void repeat(long times, long count) {
        words += times * count;
        closed += times * linesAlike;
        drained += times * linesAlike;
        reported += times * reportedAlike;
        shortLines.forEach(line -> line[0] += times * linesAlike);
    }

    /** Adds the words after the last drain. */
    void addRest(long count) {
        words += count;
        add(count);
    }

    /** Empties the buffer from a cycle on; answers the traffic. */
    Span finish(long cycle) {
        closeLine();
        long at = cycle;
        while (drained < closed) {
            drain(at);
            at = drainEnd + 1;
        }
        long stop = compat == Compat.V2 ? drainEnd : lastDrain;
        return new Span(firstDrain, stop, compat == Compat.NONE ? words : reported);
    }

    private void closeLine() {
        if (open > 0) {
            shortLines.add(new long[] {closed, open});
            listener.closedShort(closed, (int) open);
            closed++;
            open = 0;
        }
    }

    private void drain(long cycle) {
        long lines = Math.min(linesPerDrain, closed - drained);
        long lastLine = drained + lines - 1;
        long holes = 0;
        while (!shortLines.isEmpty() && shortLines.getFirst()[0] <= lastLine) {
            long[] line = shortLines.removeFirst();
            if (line[0] == lastLine) {
                holes = lineWords - line[1];
            }
        }
        long credited = lines * lineWords - holes;
        port.last(cycle, lines);
        listener.drained(drained, lines, completion);
        drained += lines;
        free += credited;
        reported += credited;
        drainEnd = port.latest();
        firstDrain = Math.min(firstDrain, port.earliest());
        lastDrain = Math.max(lastDrain, drainEnd);
    }
}
