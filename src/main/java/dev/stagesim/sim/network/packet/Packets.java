package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * Frames in flight and in queues, one slot each; a slot is in at most one list at a time, linked through {@link #next}.
 *
 * <p>Slots are used again last in, first out, so nothing is allocated in a steady state.
 */
final class Packets {
    static final int NONE = -1;

    static final int DATA = 0;
    static final int ACK = 1;
    static final int NACK = 2;
    static final int PAUSE = 3;
    static final int RESUME = 4;

    /** Hops whose telemetry fits in a frame. */
    static final int HOPS = 5;

    int[] next = new int[256];
    int[] flow = new int[256];
    int[] size = new int[256];
    byte[] kind = new byte[256];
    /** Marked by a queue; on an acknowledgement: whether its data frame was. */
    boolean[] marked = new boolean[256];
    /** On an acknowledgement: whether a queue marked it on its own way, which nobody reads. */
    boolean[] ackMarked = new boolean[256];
    /** Port that it comes in by, or came in by last. */
    int[] ingress = new int[256];
    /** First byte of data, or the byte that the receiver expects next. */
    long[] sequence = new long[256];
    /** When it reaches the end of the cable it is on, or came from. */
    long[] arrival = new long[256];

    /** Telemetry: time a data frame left its host; only for those that use it. */
    long[] sentAt = {};
    /** Telemetry: largest utilisation as a power. */
    char[] power = {};
    /** Telemetry: one record a hop and how often a hop was written. */
    long[] hops = {};

    byte[] hopCount = {};

    private final boolean stamps;
    private final boolean powers;
    private final boolean records;
    private int free = NONE;
    private int used;
    private int live;

    Packets(CongestionSpec congestion) {
        stamps = congestion instanceof CongestionSpec.Timely;
        powers = congestion instanceof CongestionSpec.HpccPint;
        records = congestion instanceof CongestionSpec.Hpcc;
        growTelemetry(next.length);
    }

    /** A slot with no mark and no telemetry. */
    int take(int newKind, int newFlow, int newSize, long newSequence) {
        int packet = free;
        if (packet != NONE) {
            free = next[packet];
        } else {
            if (used == next.length) {
                grow();
            }
            packet = used++;
        }
        live++;
        next[packet] = NONE;
        kind[packet] = (byte) newKind;
        flow[packet] = newFlow;
        size[packet] = newSize;
        sequence[packet] = newSequence;
        marked[packet] = false;
        ackMarked[packet] = false;
        if (powers) {
            power[packet] = 0;
        }
        if (records) {
            hopCount[packet] = 0;
            Arrays.fill(hops, HOPS * packet, HOPS * (packet + 1), 0);
        }
        return packet;
    }

    /** Gives a slot back. */
    void release(int packet) {
        next[packet] = free;
        free = packet;
        live--;
    }

    /** Frames that exist now. */
    int live() {
        return live;
    }

    private void grow() {
        int length = 2 * next.length;
        next = Arrays.copyOf(next, length);
        flow = Arrays.copyOf(flow, length);
        size = Arrays.copyOf(size, length);
        kind = Arrays.copyOf(kind, length);
        marked = Arrays.copyOf(marked, length);
        ackMarked = Arrays.copyOf(ackMarked, length);
        ingress = Arrays.copyOf(ingress, length);
        sequence = Arrays.copyOf(sequence, length);
        arrival = Arrays.copyOf(arrival, length);
        growTelemetry(length);
    }

    private void growTelemetry(int length) {
        if (stamps) {
            sentAt = Arrays.copyOf(sentAt, length);
        }
        if (powers) {
            power = Arrays.copyOf(power, length);
        }
        if (records) {
            hops = Arrays.copyOf(hops, HOPS * length);
            hopCount = Arrays.copyOf(hopCount, length);
        }
    }
}
