package dev.stagesim.sim.network.packet.state;

import java.util.Arrays;

/**
 * Frames in flight and in queues, one slot each. A slot is in at most one list at a time, linked through {@link #next}.
 *
 * <p>Slots are reused last in, first out, so a steady state allocates nothing. All hot fields of a frame share a row of
 * 32 bytes, because the frames do not fit into the near caches.
 */
public final class Packets {
    public static final int NONE = -1;

    public static final int DATA = 0;
    public static final int ACK = 1;
    public static final int NACK = 2;
    public static final int PAUSE = 3;
    public static final int RESUME = 4;

    /** Bits of the third word of a row: size, kind, and two marks. */
    private static final int SIZE_BITS = 26;

    private static final int SIZE = (1 << SIZE_BITS) - 1;
    private static final int KIND = 7;
    private static final int MARK = 1 << 29;
    private static final int ANSWER_MARK = 1 << 30;

    private static final int ROW_SHIFT = 3;
    private static final int FLOW = 1;
    private static final int WORD = 2;
    private static final int INGRESS = 3;
    private static final int SEQUENCE = 4;
    private static final int ARRIVAL = 6;
    private static final long LOW = 0xffffffffL;

    /** Telemetry of the congestion control, {@link #words} per frame, initially 0. */
    public long[] carried;

    /** By slot: next, flow, word, ingress, and the halves of sequence and arrival. */
    private int[] rows = new int[256 << ROW_SHIFT];

    private final int words;
    private int free = NONE;
    private int used;
    private int live;

    Packets(CongestionControl congestion) {
        words = congestion.carriedWords();
        carried = new long[words * (rows.length >> ROW_SHIFT)];
    }

    /** Allocates a slot without marks or telemetry. */
    public int take(int kind, int flow, int size, long sequence) {
        int packet = free;
        if (packet != NONE) {
            free = next(packet);
        } else {
            if (used << ROW_SHIFT == rows.length) {
                rows = Arrays.copyOf(rows, 2 * rows.length);
                carried = Arrays.copyOf(carried, 2 * carried.length);
            }
            packet = used++;
        }
        live++;
        int row = packet << ROW_SHIFT;
        rows[row] = NONE;
        rows[row + FLOW] = flow;
        rows[row + WORD] = size | kind << SIZE_BITS;
        setSequence(row, sequence);
        Arrays.fill(carried, words * packet, words * (packet + 1), 0);
        return packet;
    }

    /** Frees a slot. */
    public void release(int packet) {
        setNext(packet, free);
        free = packet;
        live--;
    }

    /** Number of frames in use. */
    public int live() {
        return live;
    }

    /** Next frame of the list that contains the frame. */
    public int next(int packet) {
        return rows[packet << ROW_SHIFT];
    }

    public void setNext(int packet, int next) {
        rows[packet << ROW_SHIFT] = next;
    }

    public int flow(int packet) {
        return rows[(packet << ROW_SHIFT) + FLOW];
    }

    public int size(int packet) {
        return rows[(packet << ROW_SHIFT) + WORD] & SIZE;
    }

    public int kind(int packet) {
        return rows[(packet << ROW_SHIFT) + WORD] >>> SIZE_BITS & KIND;
    }

    /** True if a data frame is marked, or if an acknowledgement answers a marked one. */
    public boolean isMarked(int packet) {
        return (rows[(packet << ROW_SHIFT) + WORD] & MARK) != 0;
    }

    public void setMark(int packet, boolean isMarked) {
        int word = rows[(packet << ROW_SHIFT) + WORD] & ~MARK;
        rows[(packet << ROW_SHIFT) + WORD] = isMarked ? word | MARK : word;
    }

    public void mark(int packet) {
        rows[(packet << ROW_SHIFT) + WORD] |= MARK;
    }

    /** True if a queue marked an acknowledgement on its path; only traces report it. */
    public boolean isAnswerMarked(int packet) {
        return (rows[(packet << ROW_SHIFT) + WORD] & ANSWER_MARK) != 0;
    }

    public void markAnswer(int packet) {
        rows[(packet << ROW_SHIFT) + WORD] |= ANSWER_MARK;
    }

    /** Port of the frame's current or last arrival. */
    public int ingress(int packet) {
        return rows[(packet << ROW_SHIFT) + INGRESS];
    }

    /** First byte of data, or the next byte that the receiver expects. */
    public long sequence(int packet) {
        int row = (packet << ROW_SHIFT) + SEQUENCE;
        return (rows[row] & LOW) | (long) rows[row + 1] << Integer.SIZE;
    }

    /** Arrival time at the end of the current or last cable. */
    public long arrival(int packet) {
        int row = (packet << ROW_SHIFT) + ARRIVAL;
        return (rows[row] & LOW) | (long) rows[row + 1] << Integer.SIZE;
    }

    /** Sends a frame to the port {@code ingress}, with its arrival time. */
    public void depart(int packet, int ingress, long arrival) {
        int row = packet << ROW_SHIFT;
        rows[row + INGRESS] = ingress;
        rows[row + ARRIVAL] = (int) arrival;
        rows[row + ARRIVAL + 1] = (int) (arrival >>> Integer.SIZE);
    }

    /** Turns a data frame into its answer, which keeps the mark and the telemetry. */
    public void answer(int packet, int kind, int size, long sequence) {
        int row = packet << ROW_SHIFT;
        rows[row + WORD] = (rows[row + WORD] & (MARK | ANSWER_MARK)) | size | (kind << SIZE_BITS);
        setSequence(row, sequence);
    }

    private void setSequence(int row, long sequence) {
        rows[row + SEQUENCE] = (int) sequence;
        rows[row + SEQUENCE + 1] = (int) (sequence >>> Integer.SIZE);
    }
}
