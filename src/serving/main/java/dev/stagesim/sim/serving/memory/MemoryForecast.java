package dev.stagesim.sim.serving.memory;

import java.util.Arrays;

/** Predicts the peak memory of a batch in tokens if every request produces its maximum number of tokens (LightLLM). */
public final class MemoryForecast {
    private long[] used = new long[16];

    /** Tokens that each request may still produce, in descending order. */
    private long[] remaining = new long[16];

    private int size;

    /** Removes all requests. */
    public void clear() {
        size = 0;
    }

    /** Adds a request that uses {@code tokens} tokens of memory and may produce {@code left} more. */
    public void add(long tokens, long left) {
        if (size == used.length) {
            used = Arrays.copyOf(used, size * 2);
            remaining = Arrays.copyOf(remaining, size * 2);
        }
        int at = size++;
        while (at > 0 && remaining[at - 1] < left) {
            used[at] = used[at - 1];
            remaining[at] = remaining[at - 1];
            at--;
        }
        used[at] = tokens;
        remaining[at] = left;
    }

    /** Returns the maximum over the ends of requests; requests with the most remaining tokens end last. */
    public long peak() {
        long peak = 0;
        long sum = 0;
        for (int i = 0; i < size; i++) {
            sum += used[i];
            peak = Math.max(peak, remaining[i] * (i + 1) + sum);
        }
        return peak;
    }
}
