package dev.stagesim.sim.network.packet.state;

import java.util.Arrays;

/**
 * Flows in a structure of arrays, one slot per flow: a message in transit, with the state of its sender and its
 * receiver.
 *
 * <p>A slot is reused once the flow is complete, its port's list has dropped it, and no frame refers to it.
 */
public final class Flows {
    public static final int NONE = -1;
    /** Port of every receiver. */
    public static final int DATA_PORT = 100;

    private static final int INITIAL = 64;

    public int[] source = new int[INITIAL];
    public int[] destination = new int[INITIAL];
    public int[] sourcePort = new int[INITIAL];
    /** Port of the source host, chosen at the start. */
    public int[] port = new int[INITIAL];
    /** Position in the list of that port. */
    int[] listIndex = new int[INITIAL];
    /** Slot of the message that the flow carries. */
    public int[] message = new int[INITIAL];

    public long[] bytes = new long[INITIAL];
    public long[] started = new long[INITIAL];
    /** Duration in an empty network, in ns. */
    public long[] ideal = new long[INITIAL];

    public long[] window = new long[INITIAL];
    public long[] roundTrip = new long[INITIAL];
    public long[] rate = new long[INITIAL];
    public long[] maxRate = new long[INITIAL];
    /** First byte not sent, first byte not acknowledged, and earliest send time of the next frame. */
    public long[] nextByte = new long[INITIAL];

    public long[] acked = new long[INITIAL];
    public long[] nextAllowed = new long[INITIAL];
    public int[] lastSize = new int[INITIAL];
    /** True until the sender has completed the flow. */
    public boolean[] active = new boolean[INITIAL];

    /** Receiver: first byte not received, time until which no further NACK is sent, and the byte of the last NACK. */
    public long[] expected = new long[INITIAL];

    public long[] nextNackAt = new long[INITIAL];
    public long[] nackedByte = new long[INITIAL];

    /** Number of frames, list entries and pending events that refer to the slot. */
    public int[] references = new int[INITIAL];

    /** Time of the last acknowledgement with progress, and number of timeouts since. */
    public long[] progressAt = new long[INITIAL];

    public int[] timeouts = new int[INITIAL];
    /** True if the flow is simulated as one packet train. */
    public boolean[] onFastPath = new boolean[INITIAL];
    /** Stamp of the valid retransmission timer event. */
    public long[] timer = new long[INITIAL];

    private int[] next = new int[INITIAL];
    private int free = NONE;
    private int used;

    /** Allocates a slot for a new flow, with one reference. */
    public int take() {
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
    public void resetReceiver(int flow) {
        expected[flow] = 0;
        nextNackAt[flow] = 0;
        nackedByte[flow] = 0;
    }

    /** Releases a reference; the last one frees the slot. */
    public void release(int flow) {
        if (--references[flow] == 0) {
            next[flow] = free;
            free = flow;
        }
    }

    /** Hash that selects among equal-cost paths (ECMP), of the flow's data or of its acknowledgements. */
    int pathHash(int flow, boolean data, int seed) {
        int from = State.address(data ? source[flow] : destination[flow]);
        int to = State.address(data ? destination[flow] : source[flow]);
        int sender = data ? sourcePort[flow] : DATA_PORT;
        int receiver = data ? DATA_PORT : sourcePort[flow];
        return Murmur.hash(from, to, sender | receiver << 16, seed);
    }

    /** Number of slots used so far. */
    public int used() {
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
