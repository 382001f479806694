package dev.stagesim.sim.network.packet.topology;

import java.util.Arrays;

/**
 * Transmission times of frames at one rate: size / rate, rounded to the nearest ns, an exact half down.
 *
 * <p>Short frames on fast links may take 0 ns. Small sizes are cached in a table.
 */
public final class TxTimes {
    private static final long BITS_TIMES_NANOS = 8_000_000_000L;
    private static final int TABLE = 1 << 14;

    private final long rate;
    private final int[] known = new int[TABLE];

    public TxTimes(long rate) {
        this.rate = rate;
        Arrays.fill(known, -1);
    }

    /** Time in ns of {@code bytes}, below 2^29, at {@code rate} bits per second. */
    public static long of(long bytes, long rate) {
        return (2 * BITS_TIMES_NANOS * bytes + rate - 1) / (2 * rate);
    }

    long rate() {
        return rate;
    }

    public long of(int bytes) {
        if (bytes >= TABLE) {
            return of(bytes, rate);
        }
        int time = known[bytes];
        if (time >= 0) {
            return time;
        }
        long computed = of(bytes, rate);
        if (computed <= Integer.MAX_VALUE) {
            known[bytes] = (int) computed;
        }
        return computed;
    }
}
