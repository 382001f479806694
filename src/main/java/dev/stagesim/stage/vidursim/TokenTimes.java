package dev.stagesim.stage.vidursim;

import java.util.Arrays;

/**
 * Times of output tokens, kept per request until the request's turn to be written comes.
 *
 * <p>Lists of fixed-size chunks in one array; a request's chunks are reused as soon as it is dropped, so memory follows
 * the tokens in flight, not those of the whole run.
 */
final class TokenTimes {
    private static final int CHUNK = 32;

    private final int[] firstChunk;
    private final int[] lastChunk;
    private final int[] counts;
    private long[] times = new long[CHUNK * 64];
    private int[] next = new int[64];
    private int used;
    private int free = -1;

    TokenTimes(int requests) {
        firstChunk = new int[requests];
        lastChunk = new int[requests];
        counts = new int[requests];
    }

    void add(int request, long time) {
        int count = counts[request]++;
        int offset = count % CHUNK;
        if (offset == 0) {
            int chunk = take();
            if (count == 0) {
                firstChunk[request] = chunk;
            } else {
                next[lastChunk[request]] = chunk;
            }
            lastChunk[request] = chunk;
        }
        times[lastChunk[request] * CHUNK + offset] = time;
    }

    int count(int request) {
        return counts[request];
    }

    /** Copies a request's times to the start of {@code into}, which must be long enough, and forgets them. */
    void drain(int request, long[] into) {
        int left = counts[request];
        int chunk = firstChunk[request];
        for (int at = 0; left > 0; at += CHUNK) {
            int length = Math.min(CHUNK, left);
            System.arraycopy(times, chunk * CHUNK, into, at, length);
            left -= length;
            int following = next[chunk];
            next[chunk] = free;
            free = chunk;
            chunk = following;
        }
        counts[request] = 0;
    }

    private int take() {
        if (free >= 0) {
            int chunk = free;
            free = next[chunk];
            return chunk;
        }
        if (used == next.length) {
            next = Arrays.copyOf(next, used * 2);
            times = Arrays.copyOf(times, Math.multiplyExact(used * 2, CHUNK));
        }
        return used++;
    }
}
