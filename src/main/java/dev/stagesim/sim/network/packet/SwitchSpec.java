package dev.stagesim.sim.network.packet;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/**
 * Buffers, pauses and marks of every switch.
 *
 * @param bufferBytes shared buffer of a switch
 * @param headroomFactor headroom of a port in multiples of what its cable holds
 * @param pauseMicros what pause frames announce, which their receivers pass over; 0 turns them into resume frames, so that
 *     frames are dropped instead
 * @param marking whether queues mark frames
 * @param marks thresholds, one per rate
 */
public record SwitchSpec(
        long bufferBytes, int headroomFactor, long pauseMicros, boolean marking, List<MarkThreshold> marks) {
    private static final long DEFAULT_PAUSE_MICROS = 5;

    /** Bits times ns per byte and second. */
    private static final BigInteger BYTES = BigInteger.valueOf(8_000_000_000L);

    /**
     * When the queue of a port of one rate marks frames.
     *
     * @param rate bits per second
     * @param least queued bytes above which some are marked
     * @param most queued bytes above which all are
     * @param probability of a mark just below {@code most}
     */
    public record MarkThreshold(long rate, long least, long most, double probability) {}

    public SwitchSpec {
        marks = List.copyOf(marks);
    }

    /** Switches whose pause frames stop their receiver, or do not. */
    public SwitchSpec(
            long bufferBytes, int headroomFactor, boolean pauses, boolean marking, List<MarkThreshold> marks) {
        this(bufferBytes, headroomFactor, pauses ? DEFAULT_PAUSE_MICROS : 0, marking, marks);
    }

    /** Whether pause frames stop their receiver. */
    public boolean pauses() {
        return pauseMicros != 0;
    }

    /** Headroom of a port in bytes, which may be more than a switch can hold. */
    BigInteger headroom(long rate, long delayNs) {
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
