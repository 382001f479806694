package dev.stagesim.feature.cluster.transfer;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkClient;
import java.util.Arrays;

/**
 * Transfers over a simulated network. The network may advance to the next event of the cluster.
 *
 * <p>Each transfer has a window of outstanding messages. Messages of an aborted transfer still arrive, and are ignored.
 */
public final class NetworkTransfers implements KvTransport, NetworkClient {
    private static final double NS = 1e9;
    private static final int NONE = -1;

    private final Network network;
    private final long chunkBytes;
    private final int window;

    /** Transfer number by flow. A transfer that starts again after an abort is a new flow. */
    private final IntList transferOf = new IntList();

    private final int[] flow;
    private final int[] from;
    private final int[] to;
    private final long[] unsent;
    private final int[] outstanding;
    private long stopAt;
    private int active;
    private int ended = NONE;

    /**
     * Creates an idle network.
     *
     * @param maxTransfers exclusive upper bound of transfer numbers
     */
    public NetworkTransfers(Network network, long chunkBytes, int window, int maxTransfers) {
        this.network = network;
        this.chunkBytes = chunkBytes;
        this.window = window;
        flow = new int[maxTransfers];
        from = new int[maxTransfers];
        to = new int[maxTransfers];
        unsent = new long[maxTransfers];
        outstanding = new int[maxTransfers];
        Arrays.fill(flow, NONE);
    }

    @Override
    public void start(int transfer, int source, int target, double bytes, double now) {
        advance(now);
        flow[transfer] = transferOf.size();
        transferOf.add(transfer);
        from[transfer] = source;
        to[transfer] = target;
        unsent[transfer] = Math.max(1, (long) Math.ceil(bytes));
        outstanding[transfer] = 0;
        active++;
        for (int i = 0; i < window; i++) {
            send(transfer);
        }
    }

    private void send(int transfer) {
        long bytes = Math.min(chunkBytes, unsent[transfer]);
        if (bytes > 0) {
            unsent[transfer] -= bytes;
            outstanding[transfer]++;
            network.receive(from[transfer], to[transfer], bytes, 0, 0);
            network.send(from[transfer], to[transfer], bytes, 0, flow[transfer]);
        }
    }

    @Override
    public boolean isActive(int transfer) {
        return flow[transfer] != NONE;
    }

    @Override
    public int active() {
        return active;
    }

    @Override
    public double nextSeconds(double until) {
        if (active > 0) {
            advance(until);
        }
        return ended == NONE ? Double.POSITIVE_INFINITY : network.now() / NS;
    }

    /** Advances the network to a time, or to the end of a transfer before it. */
    private void advance(double until) {
        if (ended != NONE || until * NS <= network.now()) {
            return;
        }
        stopAt = until * NS < Long.MAX_VALUE ? (long) Math.ceil(until * NS) : Long.MAX_VALUE;
        if (stopAt < Long.MAX_VALUE) {
            network.schedule(stopAt, stopAt);
        }
        network.run(this);
    }

    @Override
    public int end() {
        int transfer = ended;
        ended = NONE;
        stop(transfer, 0);
        return transfer;
    }

    @Override
    public void stop(int transfer, double now) {
        ended = ended == transfer ? NONE : ended;
        flow[transfer] = NONE;
        active--;
    }

    @Override
    public boolean isFair() {
        return true;
    }

    @Override
    public double busiestSeconds() {
        return network.links().stream()
                .mapToDouble(use -> use.bytes() / use.bandwidth() / NS)
                .max()
                .orElse(0);
    }

    @Override
    public void event(long at) {
        if (at == stopAt) {
            network.stop();
        }
    }

    @Override
    public void sent(int number) {
        int transfer = transferOf.get(number);
        if (flow[transfer] == number) {
            outstanding[transfer]--;
            send(transfer);
            if (outstanding[transfer] == 0) {
                ended = transfer;
                network.stop();
            }
        }
    }

    @Override
    public void received(int handle) {
        // {@link #sent} reports the end
    }
}
