package dev.stagesim.sim.systolic;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Arrays;

/**
 * Fetches of an operand when the bandwidth is calculated: the missing words, spread over the cycles up to each flush.
 *
 * <p>The requests are walked twice: the first walk counts what each flush takes, so that the rows' width is known when the
 * second one writes them. Memory grows by a number per flush, not with the words.
 *
 * <p><b>Caveat:</b> words of flushes in one cycle have no cycles of their own and come with those of the flush before; the
 * reference divides by zero there.
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
    private int held;
    private long[] flushes = new long[16];
    private int flushCount;
    private long misses;
    private long firstRequest = -1;

    /**
     * @param isStrict whether what stops the reference stops us
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

    /** First walk: counts the words of a cycle. */
    void count(Stream stream, int cycle, long now) {
        int high = stream.highPort(cycle);
        for (int port = stream.lowPort(cycle); port <= high; port++) {
            long address = stream.at(cycle, port);
            if (address >= 0 && firstRequest < 0) {
                firstRequest = now;
            }
            if (address >= 0 && isMissing(address)) {
                misses++;
                if (held == 0) {
                    flushed(now);
                }
            }
        }
    }

    private boolean isMissing(long address) {
        if (!resident.add(address)) {
            return false;
        }
        if (++held == capacity) {
            resident.clear();
            held = 0;
        }
        return true;
    }

    private void flushed(long now) {
        if (flushCount == flushes.length) {
            flushes = Arrays.copyOf(flushes, 2 * flushCount);
        }
        flushes[flushCount++] = now;
    }

    /** Ends the first walk; the second one goes through the rows that are handed out. */
    Rows rows() {
        resident.clear();
        held = 0;
        return new Rows();
    }

    /** The rows of the trace, filled by the second walk. */
    final class Rows {
        private final long[] pending = new long[group];
        private int inGroup;
        private final long widest;
        private final StringBuilder line = new StringBuilder();
        /** The block of rows with equally many words that is written: its words, cycles and width. */
        private int flush = -1;

        private long toWord;
        private long cycle;
        private long lastCycle = -1;
        private long width;
        private long written;
        private long inRow;

        Rows() {
            long most = 0;
            while (next()) {
                most = Math.max(most, width);
            }
            widest = most;
            flush = -1;
            toWord = 0;
            next();
            begin();
        }

        /** Second walk: writes the words of a cycle. */
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

        /** The words of a group in the order of the set that the reference keeps them in. */
        private void ordered() {
            HashOrder set = new HashOrder();
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

        /** Goes to the next block; false when there is none. */
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
            // Cycles are printed one later than they are counted.
            if (flush >= flushCount) {
                return false;
            }
            lastCycle = flushes[flush++] + 1;
            // Flushes in one cycle share it.
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
                            "several times half of the on-chip memory is asked for in one cycle, where SCALE-Sim"
                                    + " divides by zero")
                    .hint("take a larger memory or a smaller array, or write the trace with compat=none"));
        }

        private long padded(long words) {
            return (words + group - 1) / group * group;
        }
    }
}
