package dev.stagesim.sim.systolic;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.order.Stream;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import java.util.Arrays;

/**
 * Writes the DRAM read trace of an operand in the mode that calculates the bandwidth. The words that miss the on-chip
 * memory are distributed over the cycles before each flush.
 *
 * <p>The requests are walked twice. The first walk counts the fetches per flush, so that the row width is available
 * when the second walk writes the rows. Memory grows with the number of flushes, not with the number of words.
 *
 * <p><b>Caveat:</b> if several flushes happen in one cycle, their words are written with the words of the previous
 * flush; the reference divides by zero in this case.
 */
final class MissTrace {
    private static final int WORDS_PER_CYCLE = 10;
    private static final int PARTS = 100;

    private final OperandMemory memory;
    private final TraceFile file;
    private final TraceSink sink;
    private final boolean isStrict;
    private final int group;
    private final int capacity;
    private final ResidentSet resident;
    private int residentWords;
    private long[] flushes = new long[16];
    private int flushCount;
    private long misses;
    private long firstRequest = -1;

    /**
     * @param isStrict true to reject inputs that make the reference fail
     */
    MissTrace(OperandMemory memory, long words, TraceFile file, TraceSink sink, boolean isStrict) {
        this.memory = memory;
        this.file = file;
        this.sink = sink;
        this.isStrict = isStrict;
        group = (int) (memory.words() / PARTS);
        capacity = group * (PARTS / 2);
        resident = new ResidentSet(words, capacity);
    }

    /** First walk: counts the missing words per cycle. */
    void count(Stream stream, int cycle, long now) {
        int high = stream.highPort(cycle);
        for (int port = stream.lowPort(cycle); port <= high; port++) {
            long address = stream.at(cycle, port);
            if (address >= 0 && firstRequest < 0) {
                firstRequest = now;
            }
            if (address >= 0 && isMissing(address)) {
                misses++;
                if (residentWords == 0) {
                    flushed(now);
                }
            }
        }
    }

    private boolean isMissing(long address) {
        if (!resident.add(address)) {
            return false;
        }
        if (++residentWords == capacity) {
            resident.clear();
            residentWords = 0;
        }
        return true;
    }

    private void flushed(long now) {
        if (flushCount == flushes.length) {
            flushes = Arrays.copyOf(flushes, 2 * flushCount);
        }
        flushes[flushCount++] = now;
    }

    /** Ends the first walk; returns the rows for the second one. */
    Rows rows() {
        resident.clear();
        residentWords = 0;
        return new Rows();
    }

    /** Rows of the trace, written by the second walk. */
    final class Rows {
        private final long[] pending = new long[group];
        private int inGroup;
        private final long widest;
        private final StringBuilder line = new StringBuilder();
        /** Current block of rows with equal width: flush number, last word, cycles and width. */
        private int flush = -1;

        private long toWord;
        private long cycle;
        private long lastCycle = -1;
        private long width;
        private long written;
        private long inRow;

        Rows() {
            long max = 0;
            while (next()) {
                max = Math.max(max, width);
            }
            widest = max;
            flush = -1;
            toWord = 0;
            next();
            begin();
        }

        /** Second walk: writes the missing words per cycle. */
        void write(Stream stream, int at) {
            int high = stream.highPort(at);
            for (int port = stream.lowPort(at); port <= high; port++) {
                long address = stream.at(at, port);
                if (address >= 0 && isMissing(address)) {
                    pending[inGroup++] = address + memory.offset();
                    if (inGroup == group) {
                        ordered();
                    }
                }
            }
        }

        void end() {
            ordered();
            boolean isMore = true;
            while (isMore) {
                while (cycle <= lastCycle) {
                    endRow();
                }
                isMore = next();
                begin();
            }
        }

        /** Writes a group's words in the iteration order of the set that the reference uses. */
        private void ordered() {
            PythonSetOrder set = new PythonSetOrder();
            for (int i = 0; i < inGroup; i++) {
                set.add(pending[i]);
            }
            inGroup = 0;
            for (long address : set.toArray()) {
                word(address);
            }
        }

        private void word(long address) {
            while (written == toWord) {
                while (cycle <= lastCycle) {
                    endRow();
                }
                next();
                begin();
            }
            line.append(',').append(address).append(".0");
            written++;
            if (++inRow == width) {
                endRow();
            }
        }

        private void begin() {
            line.setLength(0);
            line.append(cycle).append(".0");
            inRow = 0;
        }

        private void endRow() {
            for (; inRow < width; inRow++) {
                line.append(",-1.0");
            }
            for (long i = width; i < widest; i++) {
                line.append(",1.0");
            }
            sink.line(file, line);
            cycle++;
            begin();
        }

        /** Moves to the next block; returns false after the last block. */
        private boolean next() {
            if (flush < 0) {
                flush = 0;
                boolean isFlushed = flushCount > 0;
                toWord = isFlushed ? capacity : misses;
                long need = (padded(toWord) + WORDS_PER_CYCLE - 1) / WORDS_PER_CYCLE;
                cycle = isFlushed ? firstRequest - need : -need;
                lastCycle = cycle + need - 1;
                width = WORDS_PER_CYCLE;
                return true;
            }
            long from = toWord;
            cycle = lastCycle + 1;
            // Printed cycles are one later than internal cycles.
            if (flush >= flushCount) {
                return false;
            }
            lastCycle = flushes[flush++] + 1;
            // Flushes in the same cycle share one block.
            while (flush < flushCount && flushes[flush] + 1 == lastCycle) {
                if (isStrict && (flush + 1L) * capacity < misses) {
                    throw sharedCycle();
                }
                flush++;
            }
            toWord = Math.min(misses, (flush + 1L) * capacity);
            width = (padded(toWord - from) + lastCycle - cycle) / (lastCycle - cycle + 1);
            return true;
        }

        private StageException sharedCycle() {
            return StageException.input(Problem.trace(
                            file.fileName(),
                            "one cycle requests several times half of the on-chip memory; SCALE-Sim divides by zero"
                                    + " in this case")
                    .hint("take a larger memory or a smaller array, or write the trace with compat=none"));
        }

        private long padded(long words) {
            return (words + group - 1) / group * group;
        }
    }
}
