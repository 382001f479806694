package dev.stagesim.sim.workload;

import java.util.Arrays;

/**
 * Which tokens requests have in common: for each request the first tokens of its prompt, as runs of consecutive numbers.
 *
 * <p>Numbers below 2^32 belong to texts that are no request's own. The rest of a prompt is the request's own, as are its
 * outputs; {@link #promptOf} and {@link #outputOf} say how later prompts name them.
 */
public final class SharedTokens {
    private static final int OWN_BITS = 32;

    private long[] first = new long[64];
    private int[] count = new int[64];
    private int[] end = new int[64];
    private int requests;
    private int runs;

    /** Number of the first token that is a request's own. */
    public static long promptOf(int request) {
        return (2L * request + 1) << OWN_BITS;
    }

    /** Number of the first output token of a request. */
    public static long outputOf(int request) {
        return (2L * request + 2) << OWN_BITS;
    }

    /** Adds a run to the request that is being described. */
    public void run(long from, int tokens) {
        if (tokens < 1) {
            return;
        }
        if (runs == first.length) {
            first = Arrays.copyOf(first, runs * 2);
            count = Arrays.copyOf(count, runs * 2);
        }
        first[runs] = from;
        count[runs++] = tokens;
    }

    /** Goes on to the next request. */
    public void next() {
        if (requests == end.length) {
            end = Arrays.copyOf(end, requests * 2);
        }
        end[requests++] = runs;
    }

    /** Whether no request has a run. */
    public boolean isEmpty() {
        return runs == 0;
    }

    /** First run of a request. */
    public int begin(int request) {
        return request == 0 ? 0 : end[request - 1];
    }

    /** The run behind the last one of a request. */
    public int end(int request) {
        return end[request];
    }

    /** The request that began the conversation which a request goes on with; itself where there is none before. */
    public int conversation(int request) {
        for (int run = begin(request); run < end(request); run++) {
            if (first[run] >>> OWN_BITS > 0) {
                return (int) (((first[run] >>> OWN_BITS) - 1) >> 1);
            }
        }
        return request;
    }

    public long first(int run) {
        return first[run];
    }

    public int count(int run) {
        return count[run];
    }
}
