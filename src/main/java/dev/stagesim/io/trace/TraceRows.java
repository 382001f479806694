package dev.stagesim.io.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The kept rows of a trace as parallel arrays; 16 bytes a row, and the text where there is one. */
public final class TraceRows {
    private long[] timeNs = new long[1024];
    private int[] prefill = new int[1024];
    private int[] decode = new int[1024];
    private int size;
    private final boolean hasTimes;
    private final boolean hasLengths;
    private final @Nullable List<String> texts;
    private final @Nullable List<String> ids;
    private final List<String> remarks = new ArrayList<>();

    TraceRows(boolean hasTimes, boolean hasLengths, boolean hasText) {
        this.hasTimes = hasTimes;
        this.hasLengths = hasLengths;
        this.texts = hasText ? new ArrayList<>() : null;
        this.ids = hasText ? new ArrayList<>() : null;
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
        if (texts != null && ids != null) {
            texts.add(row.text);
            ids.add(row.id);
        }
    }

    /** Time of the row added last. */
    long lastTimeNs() {
        return timeNs[size - 1];
    }

    void trim() {
        timeNs = Arrays.copyOf(timeNs, size);
        prefill = Arrays.copyOf(prefill, size);
        decode = Arrays.copyOf(decode, size);
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
        for (int i = 0; i < size; i++) {
            timeNs[i] = oldTime[order[i]];
            prefill[i] = oldPrefill[order[i]];
            decode[i] = oldDecode[order[i]];
        }
    }

    /** Leaves out the rows whose prompt and output together exceed {@code most}; returns how many. */
    public int dropOver(int most) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if ((long) prefill[i] + decode[i] <= most) {
                timeNs[kept] = timeNs[i];
                prefill[kept] = prefill[i];
                decode[kept] = decode[i];
                if (texts != null && ids != null) {
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

    public int size() {
        return size;
    }

    public boolean hasTimes() {
        return hasTimes;
    }

    public boolean hasLengths() {
        return hasLengths;
    }

    public boolean hasText() {
        return texts != null;
    }

    /** Times in nanoseconds; the array itself. */
    public long[] timeNs() {
        return timeNs;
    }

    /** Prompt tokens; the array itself. */
    public int[] prefill() {
        return prefill;
    }

    /** Output tokens; the array itself. */
    public int[] decode() {
        return decode;
    }

    /** Text of a row of a file that has text. */
    public String text(int row) {
        return Objects.requireNonNull(texts).get(row);
    }

    /** The file's own name of a row of a file that has text; empty when it gives none. */
    public String id(int row) {
        return Objects.requireNonNull(ids).get(row);
    }

    /** Things about the file that the user should know. */
    public List<String> remarks() {
        return List.copyOf(remarks);
    }
}
