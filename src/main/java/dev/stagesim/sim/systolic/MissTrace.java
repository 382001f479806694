package dev.stagesim.sim.systolic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Fetches of an operand when the bandwidth is calculated: the missing words, spread over the cycles up to each flush. */
final class MissTrace {
    private static final int WORDS_PER_CYCLE = 10;
    private static final int PARTS = 100;

    /** Consecutive rows with the same number of words. */
    private record Block(int firstWord, int lastWord, long firstCycle, long lastCycle, int width) {}

    private final OperandMemory memory;
    private final TraceFile file;
    private final TraceSink sink;
    private final int group;
    private final int capacity;
    private final Set<Long> resident = new LinkedHashSet<>();
    private final List<Long> flushes = new ArrayList<>();
    private long[] misses = new long[1024];
    private int count;
    private long firstRequest = -1;

    MissTrace(OperandMemory memory, TraceFile file, TraceSink sink) {
        this.memory = memory;
        this.file = file;
        this.sink = sink;
        group = (int) (memory.words() / PARTS);
        capacity = group * (PARTS / 2);
    }

    void requests(Stream stream, int cycle, long now) {
        int high = stream.highPort(cycle);
        for (int port = stream.lowPort(cycle); port <= high; port++) {
            long address = stream.at(cycle, port);
            if (address < 0) {
                continue;
            }
            if (firstRequest < 0) {
                firstRequest = now;
            }
            if (resident.add(address)) {
                miss(address + memory.offset());
                if (resident.size() == capacity) {
                    resident.clear();
                    flushes.add(now);
                }
            }
        }
    }

    private void miss(long address) {
        if (count == misses.length) {
            misses = Arrays.copyOf(misses, 2 * count);
        }
        misses[count++] = address;
    }

    void write() {
        List<Block> blocks = blocks();
        int widest = blocks.stream().mapToInt(Block::width).max().orElse(0);
        long[] ordered = ordered();
        for (Block block : blocks) {
            rows(block, widest, ordered);
        }
    }

    private List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        if (flushes.isEmpty()) {
            int padded = (count + group - 1) / group * group;
            long need = ((long) padded + WORDS_PER_CYCLE - 1) / WORDS_PER_CYCLE;
            blocks.add(new Block(0, count, -need, -1, WORDS_PER_CYCLE));
            return blocks;
        }
        long need = ((long) capacity + WORDS_PER_CYCLE - 1) / WORDS_PER_CYCLE;
        blocks.add(new Block(0, capacity, firstRequest - need, firstRequest - 1, WORDS_PER_CYCLE));
        long begin = firstRequest;
        for (int k = 1; k <= flushes.size(); k++) {
            int from = k * capacity;
            int to = Math.min(count, from + capacity);
            // Cycles are printed one later than they are counted.
            long end = flushes.get(k - 1) + 1;
            // The last block is there even when nothing is left to fetch in it.
            if (from < to || (from == to && begin <= end)) {
                int sets = (to - from + group - 1) / group * group;
                int width = (int) ((sets + end - begin) / (end - begin + 1));
                blocks.add(new Block(from, to, begin, end, width));
                begin = end + 1;
            }
        }
        return blocks;
    }

    /** The misses in groups, each in the order of the set that the reference keeps it in. */
    private long[] ordered() {
        long[] all = new long[count];
        for (int from = 0; from < count; from += group) {
            HashOrder set = new HashOrder();
            int to = Math.min(count, from + group);
            for (int i = from; i < to; i++) {
                set.add(misses[i]);
            }
            System.arraycopy(set.toArray(), 0, all, from, to - from);
        }
        return all;
    }

    private void rows(Block block, int widest, long[] ordered) {
        int at = block.firstWord();
        StringBuilder line = new StringBuilder();
        for (long cycle = block.firstCycle(); cycle <= block.lastCycle(); cycle++) {
            line.setLength(0);
            line.append(cycle).append(".0");
            for (int i = 0; i < widest; i++) {
                if (i >= block.width()) {
                    line.append(",1.0");
                } else if (at < block.lastWord()) {
                    line.append(',').append(ordered[at++]).append(".0");
                } else {
                    line.append(",-1.0");
                }
            }
            sink.line(file, line);
        }
    }
}
