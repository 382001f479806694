package dev.stagesim.feature.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Rounds of work until the optimising compiler has settled: the fastest of the last {@link #WINDOW} rounds is at most
 * {@link #GAIN} faster than the fastest of the {@link #WINDOW} before them, after at least the time asked for; after
 * {@link #MOST_NS} in any case.
 */
final class WarmUp {
    static final int WINDOW = 6;
    static final double GAIN = 0.02;
    static final long MOST_NS = 20_000_000_000L;

    /**
     * What a warm-up took.
     *
     * @param rounds rounds done
     * @param ns time
     * @param settled false when time was up first
     */
    record Result(int rounds, long ns, boolean settled) {}

    private WarmUp() {}

    static Result run(Runnable round, long leastNs, LongSupplier nanos) {
        long begin = nanos.getAsLong();
        List<Long> times = new ArrayList<>();
        long before = begin;
        while (true) {
            round.run();
            long now = nanos.getAsLong();
            times.add(now - before);
            before = now;
            boolean settled = now - begin >= leastNs && settled(times);
            if (settled || now - begin >= MOST_NS) {
                return new Result(times.size(), now - begin, settled);
            }
        }
    }

    static boolean settled(List<Long> times) {
        int n = times.size();
        if (n < 2 * WINDOW) {
            return false;
        }
        double last = fastest(times.subList(n - WINDOW, n));
        double before = fastest(times.subList(n - 2 * WINDOW, n - WINDOW));
        return last >= before * (1 - GAIN);
    }

    private static long fastest(List<Long> times) {
        return times.stream().mapToLong(Long::longValue).min().orElseThrow();
    }
}
