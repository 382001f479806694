package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * Frames in flight and in queues, one slot each; a slot is in at most one list at a time, linked through {@link #next}.
 *
 * <p>EventSlots are used again last in, first out, so nothing is allocated in a steady state. What every event reads of a
 * frame stands in one row of 32 bytes, since frames outnumber what near caches hold.
 */
final class Packets {
    static final int NONE = -1;

    static final int DATA = 0;
    static final int ACK = 1;
    static final int NACK = 2;
    static final int PAUSE = 3;
    static final int RESUME = 4;

    /** Bits of a row's third word: size, kind, and two marks. */
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

    /** What frames carry for the congestion control, so many words each; 0 until something is written. */
    long[] carried;

    /** By slot: next, flow, word, ingress, and the halves of sequence and arrival. */
    private int[] rows = new int[256 << ROW_SHIFT];

    private final int words;
    private int free = NONE;
    private int used;
    private int live;

    Packets(CongestionSpec congestion) {
        words = congestion.carriedWords();
        carried = new long[words * (rows.length >> ROW_SHIFT)];
    }

    /** A slot with no mark and no telemetry. */
    int take(int kind, int flow, int size, long sequence) {
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

    /** Gives a slot back. */
    void release(int packet) {
        setNext(packet, free);
        free = packet;
        live--;
    }

    /** Frames that exist now. */
    int live() {
        return live;
    }

    /** Next frame of the list that a frame is in. */
    int next(int packet) {
        return rows[packet << ROW_SHIFT];
    }

    void setNext(int packet, int next) {
        rows[packet << ROW_SHIFT] = next;
    }

    int flow(int packet) {
        return rows[(packet << ROW_SHIFT) + FLOW];
    }

    int size(int packet) {
        return rows[(packet << ROW_SHIFT) + WORD] & SIZE;
    }

    int kind(int packet) {
        return rows[(packet << ROW_SHIFT) + WORD] >>> SIZE_BITS & KIND;
    }

    /** Whether a queue marked a data frame; on an acknowledgement: whether it marked that of the data. */
    boolean isMarked(int packet) {
        return (rows[(packet << ROW_SHIFT) + WORD] & MARK) != 0;
    }

    void setMark(int packet, boolean isMarked) {
        int word = rows[(packet << ROW_SHIFT) + WORD] & ~MARK;
        rows[(packet << ROW_SHIFT) + WORD] = isMarked ? word | MARK : word;
    }

    void mark(int packet) {
        rows[(packet << ROW_SHIFT) + WORD] |= MARK;
    }

    /** Whether a queue marked an acknowledgement on its own way, which nobody reads. */
    boolean isAnswerMarked(int packet) {
        return (rows[(packet << ROW_SHIFT) + WORD] & ANSWER_MARK) != 0;
    }

    void markAnswer(int packet) {
        rows[(packet << ROW_SHIFT) + WORD] |= ANSWER_MARK;
    }

    /** Port that a frame comes in by, or came in by last. */
    int ingress(int packet) {
        return rows[(packet << ROW_SHIFT) + INGRESS];
    }

    /** First byte of data, or the byte that the receiver expects next. */
    long sequence(int packet) {
        int row = (packet << ROW_SHIFT) + SEQUENCE;
        return (rows[row] & LOW) | (long) rows[row + 1] << Integer.SIZE;
    }

    /** When a frame reaches the end of the cable it is on, or came from. */
    long arrival(int packet) {
        int row = (packet << ROW_SHIFT) + ARRIVAL;
        return (rows[row] & LOW) | (long) rows[row + 1] << Integer.SIZE;
    }

    /** A frame leaves for the port {@code ingress}, where it is at a time. */
    void depart(int packet, int ingress, long arrival) {
        int row = packet << ROW_SHIFT;
        rows[row + INGRESS] = ingress;
        rows[row + ARRIVAL] = (int) arrival;
        rows[row + ARRIVAL + 1] = (int) (arrival >>> Integer.SIZE);
    }

    /** Makes a data frame its answer, which carries its mark and telemetry. */
    void answer(int packet, int kind, int size, long sequence) {
        int row = packet << ROW_SHIFT;
        rows[row + WORD] = (rows[row + WORD] & (MARK | ANSWER_MARK)) | size | (kind << SIZE_BITS);
        setSequence(row, sequence);
    }

    private void setSequence(int row, long sequence) {
        rows[row + SEQUENCE] = (int) sequence;
        rows[row + SEQUENCE + 1] = (int) (sequence >>> Integer.SIZE);
    }
}
