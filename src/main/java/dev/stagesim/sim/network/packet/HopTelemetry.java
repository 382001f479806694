package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * A record per hop: time, sent bytes and queue, in the few bits that the header has for each, and the rate as a code.
 *
 * <p>From low to high: 24 bits of ns, 20 of sent bytes in units of 128, 17 of queued bytes in units of 80, and the code of
 * 3. The reference has codes for seven rates; a topology with others has codes of its own, for all of its rates.
 */
final class HopTelemetry extends Telemetry {
    /** Hops whose telemetry fits in a frame. */
    static final int HOPS = 5;

    /** What a frame carries: how often a hop was written, and the records. */
    static final int WORDS = 1 + HOPS;

    /** Rates that a topology may have when one of them is none of the reference's. */
    static final int MOST_RATES = 8;

    private static final long[] RATES = {
        25_000_000_000L,
        50_000_000_000L,
        100_000_000_000L,
        200_000_000_000L,
        400_000_000_000L,
        1_200_000_000_000L,
        2_400_000_000_000L
    };
    private static final int TIME_BITS = 24;
    private static final int BYTES_BITS = 20;
    private static final int QUEUE_BITS = 17;
    private static final long TIME_MASK = (1L << TIME_BITS) - 1;
    private static final long BYTES_MASK = (1L << BYTES_BITS) - 1;
    private static final long QUEUE_MASK = (1L << QUEUE_BITS) - 1;
    private static final int QUEUE_SHIFT = TIME_BITS + BYTES_BITS;
    private static final int RATE_SHIFT = QUEUE_SHIFT + QUEUE_BITS;
    private static final int BYTES_UNIT = 128;
    private static final int QUEUE_UNIT = 80;

    private final State state;
    private final int multiple;
    private final long[] rates;
    private final int[] codes;

    HopTelemetry(State state, int multiple) {
        this.state = state;
        this.multiple = multiple;
        rates = ratesOf(state.spec);
        codes = new int[state.ports.count];
        for (int port = 0; port < codes.length; port++) {
            codes[port] = code(rates, state.ports.rate[port]);
        }
    }

    /** Rates by their codes: the reference's, unless the own mode has to do with another. */
    static long[] ratesOf(PacketSpec spec) {
        long[] all = spec.topology().rates();
        boolean areKnown = Arrays.stream(all).allMatch(rate -> code(RATES, rate) >= 0);
        return areKnown || spec.asReference() ? RATES : all;
    }

    private static int code(long[] rates, long rate) {
        for (int code = 0; code < rates.length; code++) {
            if (rates[code] == rate) {
                return code;
            }
        }
        return -1;
    }

    @Override
    void leave(int port, int packet) {
        Packets packets = state.packets;
        if (packets.kind(packet) != Packets.DATA) {
            return;
        }
        long[] carried = packets.carried;
        int at = WORDS * packet + 1 + (int) (carried[WORDS * packet]++ % HOPS);
        // A rate without a code leaves the code of the record that was there.
        long code = codes[port] >= 0 ? codes[port] : carried[at] >>> RATE_SHIFT;
        long sent = (state.ports.sentBytes[port] / ((long) BYTES_UNIT * multiple)) & BYTES_MASK;
        long queued = (state.ports.waiting[port] / ((long) QUEUE_UNIT * multiple)) & QUEUE_MASK;
        carried[at] = (state.now & TIME_MASK) | (sent << TIME_BITS) | (queued << QUEUE_SHIFT) | (code << RATE_SHIFT);
    }

    /** Time from one record to a later one in ns. */
    static long time(long later, long earlier) {
        return (later - earlier) & TIME_MASK;
    }

    /** Bytes sent from one record to a later one. */
    static long bytes(long later, long earlier, int multiple) {
        return (((later >>> TIME_BITS) - (earlier >>> TIME_BITS)) & BYTES_MASK) * BYTES_UNIT * multiple;
    }

    /** Queued bytes of a record. */
    static long queue(long record, int multiple) {
        return ((record >>> QUEUE_SHIFT) & QUEUE_MASK) * QUEUE_UNIT * multiple;
    }

    /** Code of a record's rate. */
    static int code(long record) {
        return (int) (record >>> RATE_SHIFT);
    }
}
