package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.TrafficSpan;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * Output memory: packs words into lines; when half the memory is full, a drain writes it to DRAM while the other half
 * fills (double buffering).
 *
 * <p>Cycles must not decrease. A line that a drain closes early has unused words; the reference subtracts only those of
 * the last drained line.
 */
final class WriteBuffer {
    private final int lineWords;
    private final long keep;
    private final long linesPerDrain;
    private final ReplayPort port;
    private final ScaleSimCompat compat;
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
    private long linesPerRepeat;
    private long reportedPerRepeat;

    WriteBuffer(OperandMemory memory, int lineWords, ScaleSimCompat compat, RunListener listener) {
        this.lineWords = lineWords;
        this.compat = compat;
        this.listener = listener;
        long total = memory.words();
        keep = (total + 1) / 2;
        linesPerDrain = (total - keep + lineWords - 1) / lineWords;
        free = total;
        port = new ReplayPort(memory, 0);
        completion = port::completion;
    }

    /** Writes {@code count} words from one array cycle; returns the cycle when all are stored. */
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

    /** Words until the next drain may begin. */
    long wordsToDrain() {
        return Math.max(1, free - keep + 1);
    }

    long drainEnd() {
        return drainEnd;
    }

    /** Adds words that are certain not to wait. */
    void add(long count) {
        free -= count;
        open += count;
        closed += open / lineWords;
        open %= lineWords;
    }

    /**
     * Adds words and drains at {@code cycle}, for callers that have computed the cycle. Returns true if the state of
     * the buffer is unchanged except for the line and word counters.
     */
    boolean addAndDrain(long count, long cycle) {
        long freeBefore = free;
        long linesBuffered = closed - drained;
        long[] shortBefore = shortPlaces();
        long linesBefore = closed;
        long reportedBefore = reported;
        words += count;
        add(count);
        closeLine();
        drain(cycle);
        linesPerRepeat = closed - linesBefore;
        reportedPerRepeat = reported - reportedBefore;
        return free == freeBefore && closed - drained == linesBuffered && Arrays.equals(shortBefore, shortPlaces());
    }

    /** Lines that were closed early with their words, relative to the last drained line. */
    private long[] shortPlaces() {
        return shortLines.stream()
                .flatMapToLong(line -> LongStream.of(line[0] - drained, line[1]))
                .toArray();
    }

    /** Adds {@code times} drains equal to the last one, each after {@code count} words. */
    void repeat(long times, long count) {
        words += times * count;
        closed += times * linesPerRepeat;
        drained += times * linesPerRepeat;
        reported += times * reportedPerRepeat;
        shortLines.forEach(line -> line[0] += times * linesPerRepeat);
    }

    /** Adds the words after the last drain. */
    void addRest(long count) {
        words += count;
        add(count);
    }

    /** Drains the buffer from a cycle on; returns the traffic. */
    TrafficSpan finish(long cycle) {
        closeLine();
        long at = cycle;
        while (drained < closed) {
            drain(at);
            at = drainEnd + 1;
        }
        long stop = compat == ScaleSimCompat.V2 ? drainEnd : lastDrain;
        return new TrafficSpan(firstDrain, stop, compat == ScaleSimCompat.NONE ? words : reported);
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
