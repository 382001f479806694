package dev.stagesim.sim.network.packet.host;

import dev.stagesim.sim.network.packet.state.Flows;
import java.util.Arrays;

/** Reorder buffer of receivers for packet spraying: one bit per frame of a message. */
final class Reordering {
    private final Flows flows;
    private final int payload;
    /** By flow. */
    private long[][] arrived = new long[0][];

    Reordering(Flows flows, int payload) {
        this.flows = flows;
        this.payload = payload;
    }

    void start(int flow) {
        if (flow >= arrived.length) {
            int before = arrived.length;
            arrived = Arrays.copyOf(arrived, Math.max(flow + 1, 2 * before));
            Arrays.fill(arrived, before, arrived.length, new long[0]);
        }
        int words = (int) ((flows.bytes[flow] + payload - 1) / payload / Long.SIZE) + 1;
        if (arrived[flow].length < words) {
            arrived[flow] = new long[words];
        } else {
            Arrays.fill(arrived[flow], 0, words, 0);
        }
    }

    /** Records the frame with byte {@code first}, and advances the expected byte over all consecutive frames. */
    void take(int flow, long first) {
        int frame = (int) (first / payload);
        arrived[flow][frame / Long.SIZE] |= 1L << frame;
        long expected = flows.expected[flow];
        long bytes = flows.bytes[flow];
        while (expected < bytes && hasArrived(flow, (int) (expected / payload))) {
            expected = Math.min(bytes, expected + payload);
        }
        flows.expected[flow] = expected;
    }

    private boolean hasArrived(int flow, int frame) {
        return (arrived[flow][frame / Long.SIZE] >>> frame & 1) != 0;
    }
}
