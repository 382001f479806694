package dev.stagesim.io.trace;

import dev.stagesim.sim.workload.SharedTokens;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The kept rows of a trace as parallel arrays: 16 bytes per row, plus the text if present. */
public final class TraceRows {
    private long[] timeNs = new long[1024];
    private int[] prefill = new int[1024];
    private int[] decode = new int[1024];
    private int size;
    private final TraceReader.Traits traits;
    private final List<String> texts = new ArrayList<>();
    private final List<String> ids = new ArrayList<>();
    private List<int[]> blocks = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private Optional<String> layout = Optional.empty();

    TraceRows(TraceReader.Traits traits) {
        this.traits = traits;
    }

    void add(TraceReader row) {
        if (size == timeNs.length) {
            int room = size + size / 2;
            timeNs = Arrays.copyOf(timeNs, room);
            prefill = Arrays.copyOf(prefill, room);
            decode = Arrays.copyOf(decode, room);
        }
        timeNs[size] = row.timeNs;
        prefill[size] = row.prefill;
        decode[size] = row.decode;
        size++;
        if (traits.blockTokens() > 0) {
            blocks.add(row.blocks);
        }
        if (traits.text()) {
            texts.add(row.text);
            ids.add(row.id);
        }
    }

    long lastTimeNs() {
        return timeNs[size - 1];
    }

    void trim() {
        timeNs = Arrays.copyOf(timeNs, size);
        prefill = Arrays.copyOf(prefill, size);
        decode = Arrays.copyOf(decode, size);
    }

    void layout(String text) {
        layout = Optional.of(text);
    }

    /** Returns which columns were recognised by their names; empty for known formats. */
    public Optional<String> layout() {
        return layout;
    }

    void remark(String text) {
        remarks.add(text);
    }

    /** True when the times never fall. */
    public boolean isSorted() {
        for (int i = 1; i < size; i++) {
            if (timeNs[i] < timeNs[i - 1]) {
                return false;
            }
        }
        return true;
    }

    /** Sorts the rows by time; rows of equal time keep their order. */
    public void sortByTime() {
        if (isSorted()) {
            return;
        }
        int[] order = IntStream.range(0, size)
                .boxed()
                .sorted((a, b) -> Long.compare(timeNs[a], timeNs[b]))
                .mapToInt(Integer::intValue)
                .toArray();
        long[] oldTime = timeNs.clone();
        int[] oldPrefill = prefill.clone();
        int[] oldDecode = decode.clone();
        List<int[]> sorted = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            timeNs[i] = oldTime[order[i]];
            prefill[i] = oldPrefill[order[i]];
            decode[i] = oldDecode[order[i]];
            if (traits.blockTokens() > 0) {
                sorted.add(blocks.get(order[i]));
            }
        }
        blocks = sorted;
    }

    /** Removes the rows with more than {@code max} tokens in prompt and output, and returns their number. */
    public int dropOver(int max) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if ((long) prefill[i] + decode[i] <= max) {
                timeNs[kept] = timeNs[i];
                prefill[kept] = prefill[i];
                decode[kept] = decode[i];
                if (traits.blockTokens() > 0) {
                    blocks.set(kept, blocks.get(i));
                }
                if (traits.text()) {
                    texts.set(kept, texts.get(i));
                    ids.set(kept, ids.get(i));
                }
                kept++;
            }
        }
        int dropped = size - kept;
        size = kept;
        trim();
        return dropped;
    }

    /** Adds the parts of the first {@code prompt} tokens of a row that other prompts share; adds nothing for row -1. */
    public void shareBlocks(int row, int prompt, SharedTokens tokens) {
        if (row < 0 || traits.blockTokens() == 0) {
            return;
        }
        int left = prompt;
        for (int block : blocks.get(row)) {
            tokens.run((long) block * traits.blockTokens(), Math.min(left, traits.blockTokens()));
            left = Math.max(0, left - traits.blockTokens());
        }
    }

    public int size() {
        return size;
    }

    public boolean hasTimes() {
        return traits.times();
    }

    public boolean hasLengths() {
        return traits.lengths();
    }

    public boolean hasText() {
        return traits.text();
    }

    /** Returns the times in nanoseconds, without a copy. */
    public long[] timeNs() {
        return timeNs;
    }

    /** Returns the prompt tokens, without a copy. */
    public int[] prefill() {
        return prefill;
    }

    /** Returns the output tokens, without a copy. */
    public int[] decode() {
        return decode;
    }

    public String text(int row) {
        return texts.get(row);
    }

    /** Returns the name of a row in its file; empty if it has none. */
    public String id(int row) {
        return ids.get(row);
    }

    /** Returns notes for the user about the file. */
    public List<String> remarks() {
        return List.copyOf(remarks);
    }
}
