package dev.stagesim.feature.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Runs rounds of work until the JIT compiler has settled: after a minimum time, the fastest of the last {@link #WINDOW} rounds is
 * less than {@link #MIN_GAIN} faster than the fastest of the preceding {@link #WINDOW}. Stops after {@link #MAX_NS} in any case.
 */
final class WarmUp {
    static final int WINDOW = 6;
    static final double MIN_GAIN = 0.02;
    static final long MAX_NS = 20_000_000_000L;

    private WarmUp() {}

    static ReferenceEngine.WarmedUp run(Runnable round, long minNs, LongSupplier nanos) {
        long begin = nanos.getAsLong();
        List<Long> times = new ArrayList<>();
        long before = begin;
        while (true) {
            round.run();
            long now = nanos.getAsLong();
            times.add(now - before);
            before = now;
            boolean settled = now - begin >= minNs && settled(times);
            if (settled || now - begin >= MAX_NS) {
                return new ReferenceEngine.WarmedUp(times.size(), now - begin, settled);
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
        return last >= before * (1 - MIN_GAIN);
    }

    private static long fastest(List<Long> times) {
        return times.stream().mapToLong(Long::longValue).min().orElseThrow();
    }
}
