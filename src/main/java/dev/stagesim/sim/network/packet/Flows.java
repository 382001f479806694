package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * Flows, one slot each: a message on its way from one host to another, with the sender's and the receiver's state.
 *
 * <p>A slot is used again when the flow is complete, its port's list has dropped it, and no frame of it is left.
 */
final class Flows {
    static final int NONE = -1;

    private static final int INITIAL = 64;

    int[] source = new int[INITIAL];
    int[] destination = new int[INITIAL];
    int[] sourcePort = new int[INITIAL];
    /** Port of the source that sends it, chosen when it starts. */
    int[] port = new int[INITIAL];
    /** Where it is in the list of that port. */
    int[] listIndex = new int[INITIAL];
    /** What the client knows the message by. */
    int[] message = new int[INITIAL];

    long[] bytes = new long[INITIAL];
    long[] started = new long[INITIAL];
    /** Least duration in an empty network. */
    long[] ideal = new long[INITIAL];

    long[] window = new long[INITIAL];
    long[] roundTrip = new long[INITIAL];
    long[] rate = new long[INITIAL];
    long[] maxRate = new long[INITIAL];
    /** First byte not sent, first byte not acknowledged, and when the next frame may leave. */
    long[] nextByte = new long[INITIAL];

    long[] acked = new long[INITIAL];
    long[] nextAllowed = new long[INITIAL];
    int[] lastSize = new int[INITIAL];
    /** Whether the sender still knows the flow. */
    boolean[] active = new boolean[INITIAL];

    /** Receiver: first byte not received, and when and for what it last complained. */
    long[] expected = new long[INITIAL];

    long[] nextNackAt = new long[INITIAL];
    long[] nackedByte = new long[INITIAL];

    /** Frames, list entries and planned events that refer to the slot. */
    int[] references = new int[INITIAL];

    /** When an acknowledgement last brought the flow on, and how often the timer ran out since. */
    long[] progressAt = new long[INITIAL];

    int[] timeouts = new int[INITIAL];
    /** Whether its frames are under way as one event. */
    boolean[] onFastPath = new boolean[INITIAL];
    /** Event of the retransmission timer that counts. */
    long[] timer = new long[INITIAL];

    private int[] next = new int[INITIAL];
    private int free = NONE;
    private int used;

    /** Slot for a new flow, with one reference. */
    int take() {
        int flow = free;
        if (flow != NONE) {
            free = next[flow];
        } else {
            if (used == source.length) {
                grow();
            }
            if (used > State.INDEX) {
                throw State.tooMany("messages");
            }
            flow = used++;
        }
        references[flow] = 1;
        nextByte[flow] = 0;
        acked[flow] = 0;
        active[flow] = false;
        lastSize[flow] = 0;
        timeouts[flow] = 0;
        resetReceiver(flow);
        return flow;
    }

    /** Sets the receiver's side back to that of a flow of which nothing was heard. */
    void resetReceiver(int flow) {
        expected[flow] = 0;
        nextNackAt[flow] = 0;
        nackedByte[flow] = 0;
    }

    /** Drops a reference; the last one frees the slot. */
    void release(int flow) {
        if (--references[flow] == 0) {
            next[flow] = free;
            free = flow;
        }
    }

    /** Hash by which a flow's data, or its acknowledgements, choose among equal paths. */
    int pathHash(int flow, boolean data, int seed) {
        int from = State.address(data ? source[flow] : destination[flow]);
        int to = State.address(data ? destination[flow] : source[flow]);
        int sender = data ? sourcePort[flow] : FrameTracer.DATA_PORT;
        int receiver = data ? FrameTracer.DATA_PORT : sourcePort[flow];
        return Murmur.hash(from, to, sender | receiver << 16, seed);
    }

    /** EventSlots that were ever in use. */
    int used() {
        return used;
    }

    private void grow() {
        int length = 2 * source.length;
        source = Arrays.copyOf(source, length);
        destination = Arrays.copyOf(destination, length);
        sourcePort = Arrays.copyOf(sourcePort, length);
        port = Arrays.copyOf(port, length);
        listIndex = Arrays.copyOf(listIndex, length);
        message = Arrays.copyOf(message, length);
        bytes = Arrays.copyOf(bytes, length);
        started = Arrays.copyOf(started, length);
        ideal = Arrays.copyOf(ideal, length);
        window = Arrays.copyOf(window, length);
        roundTrip = Arrays.copyOf(roundTrip, length);
        rate = Arrays.copyOf(rate, length);
        maxRate = Arrays.copyOf(maxRate, length);
        nextByte = Arrays.copyOf(nextByte, length);
        acked = Arrays.copyOf(acked, length);
        nextAllowed = Arrays.copyOf(nextAllowed, length);
        lastSize = Arrays.copyOf(lastSize, length);
        active = Arrays.copyOf(active, length);
        expected = Arrays.copyOf(expected, length);
        nextNackAt = Arrays.copyOf(nextNackAt, length);
        nackedByte = Arrays.copyOf(nackedByte, length);
        references = Arrays.copyOf(references, length);
        progressAt = Arrays.copyOf(progressAt, length);
        timeouts = Arrays.copyOf(timeouts, length);
        timer = Arrays.copyOf(timer, length);
        onFastPath = Arrays.copyOf(onFastPath, length);
        next = Arrays.copyOf(next, length);
    }

    /** The 32-bit MurmurHash3 of three words, by which equal-cost paths are chosen. */
    private static final class Murmur {
        private static final int BYTES = 12;

        private Murmur() {}

        static int hash(int first, int second, int third, int seed) {
            int h = mix(mix(mix(seed, first), second), third) ^ BYTES;
            h = (h ^ (h >>> 16)) * 0x85ebca6b;
            h = (h ^ (h >>> 13)) * 0xc2b2ae35;
            return h ^ (h >>> 16);
        }

        private static int mix(int h, int word) {
            int k = Integer.rotateLeft(word * 0xcc9e2d51, 15) * 0x1b873593;
            return Integer.rotateLeft(h ^ k, 13) * 5 + 0xe6546b64;
        }
    }
}
