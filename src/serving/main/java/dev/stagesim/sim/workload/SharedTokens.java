package dev.stagesim.sim.workload;

import java.util.Arrays;

/**
 * Shared tokens of requests: for each request the first tokens of its prompt, as runs of consecutive token numbers.
 *
 * <p>Numbers below 2^32 belong to common texts. The rest of a prompt and the output are private to a request; later
 * prompts refer to them by {@link #promptOf} and {@link #outputOf}.
 */
public final class SharedTokens {
    private static final int OWN_BITS = 32;

    private long[] first = new long[64];
    private int[] count = new int[64];
    private int[] end = new int[64];
    private int requests;
    private int runs;

    /** Number of the first private prompt token of a request. */
    public static long promptOf(int request) {
        return (2L * request + 1) << OWN_BITS;
    }

    /** Number of the first output token of a request. */
    public static long outputOf(int request) {
        return (2L * request + 2) << OWN_BITS;
    }

    /** Adds a run to the current request. */
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

    /** Starts the next request. */
    public void next() {
        if (requests == end.length) {
            end = Arrays.copyOf(end, requests * 2);
        }
        end[requests++] = runs;
    }

    /** True if no request has a run. */
    public boolean isEmpty() {
        return runs == 0;
    }

    /** First run of a request. */
    public int begin(int request) {
        return request == 0 ? 0 : end[request - 1];
    }

    /** End of the runs of a request, exclusive. */
    public int end(int request) {
        return end[request];
    }

    /** First request of the session that a request continues, or the request itself. */
    int conversation(int request) {
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
