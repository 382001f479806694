package dev.stagesim.sim.network.packet.state;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/**
 * Buffers, pauses and marks of every switch.
 *
 * @param bufferBytes shared buffer of a switch
 * @param headroomFactor headroom of a port in multiples of its cable's bandwidth-delay product
 * @param pauseMicros time announced in pause frames, which receivers ignore; 0 turns them into resume frames, so frames
 *     are dropped instead
 * @param marking whether queues mark frames (ECN)
 * @param marks thresholds, one per rate
 */
public record SwitchSpec(
        long bufferBytes, int headroomFactor, long pauseMicros, boolean marking, List<MarkThreshold> marks) {
    private static final long DEFAULT_PAUSE_MICROS = 5;

    /** Bits times ns per byte and second. */
    private static final BigInteger BYTES = BigInteger.valueOf(8_000_000_000L);

    /**
     * Marking thresholds of the ports of one rate.
     *
     * @param rate bits per second
     * @param minBytes queued bytes above which frames may be marked
     * @param maxBytes queued bytes above which all frames are marked
     * @param probability of a mark just below {@code maxBytes}
     */
    public record MarkThreshold(long rate, long minBytes, long maxBytes, double probability) {}

    public SwitchSpec {
        marks = List.copyOf(marks);
    }

    /** Switches with pause frames that stop their receiver, or without. */
    public SwitchSpec(
            long bufferBytes, int headroomFactor, boolean pauses, boolean marking, List<MarkThreshold> marks) {
        this(bufferBytes, headroomFactor, pauses ? DEFAULT_PAUSE_MICROS : 0, marking, marks);
    }

    /** True if pause frames stop their receiver. */
    public boolean pauses() {
        return pauseMicros != 0;
    }

    /** Headroom of a port in bytes; it may exceed the buffer of a switch. */
    public BigInteger headroom(long rate, long delayNs) {
        return BigInteger.valueOf(rate)
                .multiply(BigInteger.valueOf(delayNs))
                .divide(BYTES)
                .multiply(BigInteger.valueOf(headroomFactor));
    }

    /** Thresholds for {@code rate}. */
    public Optional<MarkThreshold> marksAt(long rate) {
        return marks.stream().filter(mark -> mark.rate() == rate).findFirst();
    }
}
