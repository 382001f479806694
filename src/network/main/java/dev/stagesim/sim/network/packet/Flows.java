package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * Flows in a structure of arrays, one slot per flow: a message in transit, with the state of its sender and its
 * receiver.
 *
 * <p>A slot is reused once the flow is complete, its port's list has dropped it, and no frame refers to it.
 */
final class Flows {
    static final int NONE = -1;

    private static final int INITIAL = 64;

    int[] source = new int[INITIAL];
    int[] destination = new int[INITIAL];
    int[] sourcePort = new int[INITIAL];
    /** Port of the source host, chosen at the start. */
    int[] port = new int[INITIAL];
    /** Position in the list of that port. */
    int[] listIndex = new int[INITIAL];
    /** Slot of the message in {@link Messages}. */
    int[] message = new int[INITIAL];

    long[] bytes = new long[INITIAL];
    long[] started = new long[INITIAL];
    /** Duration in an empty network, in ns. */
    long[] ideal = new long[INITIAL];

    long[] window = new long[INITIAL];
    long[] roundTrip = new long[INITIAL];
    long[] rate = new long[INITIAL];
    long[] maxRate = new long[INITIAL];
    /** First byte not sent, first byte not acknowledged, and earliest send time of the next frame. */
    long[] nextByte = new long[INITIAL];

    long[] acked = new long[INITIAL];
    long[] nextAllowed = new long[INITIAL];
    int[] lastSize = new int[INITIAL];
    /** True until the sender has completed the flow. */
    boolean[] active = new boolean[INITIAL];

    /** Receiver: first byte not received, time until which no further NACK is sent, and the byte of the last NACK. */
    long[] expected = new long[INITIAL];

    long[] nextNackAt = new long[INITIAL];
    long[] nackedByte = new long[INITIAL];

    /** Number of frames, list entries and pending events that refer to the slot. */
    int[] references = new int[INITIAL];

    /** Time of the last acknowledgement with progress, and number of timeouts since. */
    long[] progressAt = new long[INITIAL];

    int[] timeouts = new int[INITIAL];
    /** True if the flow is simulated as one packet train. */
    boolean[] onFastPath = new boolean[INITIAL];
    /** Stamp of the valid retransmission timer event. */
    long[] timer = new long[INITIAL];

    private int[] next = new int[INITIAL];
    private int free = NONE;
    private int used;

    /** Allocates a slot for a new flow, with one reference. */
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

    /** Resets the receiver's state to its initial value. */
    void resetReceiver(int flow) {
        expected[flow] = 0;
        nextNackAt[flow] = 0;
        nackedByte[flow] = 0;
    }

    /** Releases a reference; the last one frees the slot. */
    void release(int flow) {
        if (--references[flow] == 0) {
            next[flow] = free;
            free = flow;
        }
    }

    /** Hash that selects among equal-cost paths (ECMP), of the flow's data or of its acknowledgements. */
    int pathHash(int flow, boolean data, int seed) {
        int from = State.address(data ? source[flow] : destination[flow]);
        int to = State.address(data ? destination[flow] : source[flow]);
        int sender = data ? sourcePort[flow] : FrameTracer.DATA_PORT;
        int receiver = data ? FrameTracer.DATA_PORT : sourcePort[flow];
        return Murmur.hash(from, to, sender | receiver << 16, seed);
    }

    /** Number of slots used so far. */
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

    /** 32-bit MurmurHash3 of three words, as used for ECMP in the reference. */
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
