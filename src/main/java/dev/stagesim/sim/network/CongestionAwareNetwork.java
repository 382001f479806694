package dev.stagesim.sim.network;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * One dimension of links that transmit one message at a time, store-and-forward at every hop.
 *
 * <p>A ring has a link to each neighbour and goes the shorter way round, clockwise when both are as long; a switch is
 * one more device between all. O(1) per hop; the queues are linked through the messages.
 */
final class CongestionAwareNetwork extends AnalyticNetwork {
    private static final int OFFER = 0;
    private static final int FREE = 1;
    private static final int NONE = -1;

    private final Topology topology;
    private final int npus;
    private final double latency;
    private final double bytesPerNs;

    private final boolean[] isBusy;
    private final int[] head;
    private final int[] tail;
    private final int[] queued;
    private final int[] longest;
    private final long[] crossed;
    private final long[] crossedBytes;
    private final long[] busyNs;
    private final long[] waitedNs;

    private int[] at = new int[64];
    private int[] behind = new int[64];
    private long[] since = new long[64];

    /**
     * @throws StageException of kind input when the ring has two NPUs, which would join them twice
     */
    CongestionAwareNetwork(NetworkSpec spec) {
        Dimension only = spec.dimensions().get(0);
        topology = only.topology();
        npus = only.npus();
        latency = only.latency();
        bytesPerNs = only.bytesPerNs();
        if (topology == Topology.RING && npus == 2) {
            throw StageException.input(
                    Problem.of("network error", "topology", "a congestion-aware ring of 2 NPUs would join them twice")
                            .hint("use FullyConnected for 2 NPUs"));
        }
        int links = topology == Topology.FULLY_CONNECTED ? Math.multiplyExact(npus, npus) : 2 * npus;
        isBusy = new boolean[links];
        head = new int[links];
        tail = new int[links];
        queued = new int[links];
        longest = new int[links];
        crossed = new long[links];
        crossedBytes = new long[links];
        busyNs = new long[links];
        waitedNs = new long[links];
        Arrays.fill(head, NONE);
        Arrays.fill(tail, NONE);
    }

    @Override
    public int npus() {
        return npus;
    }

    @Override
    public boolean carriesToSelf() {
        return topology == Topology.SWITCH;
    }

    @Override
    void start(int message, int from, int to, long bytes) {
        if (from == to && topology != Topology.SWITCH) {
            throw new IllegalStateException("NPU " + from + " sends to itself");
        }
        at[message] = from;
        offer(message);
    }

    @Override
    void handle(int kind, int index) {
        if (kind == OFFER) {
            offer(index);
        } else {
            free(index);
        }
    }

    /** The message, wherever it is, wants to cross its next link. */
    private void offer(int message) {
        int link = nextLink(message);
        if (isBusy[link]) {
            behind[message] = NONE;
            since[message] = now();
            if (tail[link] == NONE) {
                head[link] = message;
            } else {
                behind[tail[link]] = message;
            }
            tail[link] = message;
            queued[link]++;
            longest[link] = Math.max(longest[link], queued[link]);
        } else {
            transmit(link, message);
        }
    }

    private void transmit(int link, int message) {
        isBusy[link] = true;
        long size = bytes(message);
        double serialization = size / bytesPerNs;
        int device = farEnd(link, message);
        at[message] = device;
        long arrival = now() + (long) (latency + serialization);
        if (device == destination(message)) {
            planArrival(arrival, message);
        } else {
            planOwn(arrival, OFFER, message);
        }
        long busy = (long) serialization;
        planOwn(now() + busy, FREE, link);
        crossed[link]++;
        crossedBytes[link] += size;
        busyNs[link] += busy;
    }

    private void free(int link) {
        isBusy[link] = false;
        int message = head[link];
        if (message == NONE) {
            return;
        }
        head[link] = behind[message];
        if (head[link] == NONE) {
            tail[link] = NONE;
        }
        queued[link]--;
        waitedNs[link] += now() - since[message];
        transmit(link, message);
    }

    private int nextLink(int message) {
        int from = at[message];
        int to = destination(message);
        return switch (topology) {
            case FULLY_CONNECTED -> from * npus + to;
            case SWITCH -> from == npus ? npus + to : from;
            case RING -> isClockwise(source(message), to) ? from : npus + from;
            case MESH -> throw new IllegalStateException("no mesh");
        };
    }

    private int farEnd(int link, int message) {
        return switch (topology) {
            case FULLY_CONNECTED -> destination(message);
            case SWITCH -> link < npus ? npus : link - npus;
            case RING -> link < npus ? (link + 1) % npus : (link - 1) % npus;
            case MESH -> throw new IllegalStateException("no mesh");
        };
    }

    private boolean isClockwise(int from, int to) {
        int clockwise = to > from ? to - from : to - from + npus;
        return clockwise <= npus - clockwise;
    }

    @Override
    void grow(int messages) {
        at = Arrays.copyOf(at, messages);
        behind = Arrays.copyOf(behind, messages);
        since = Arrays.copyOf(since, messages);
    }

    @Override
    public void links(Consumer<LinkUse> sink) {
        for (int link = 0; link < isBusy.length; link++) {
            if (topology == Topology.FULLY_CONNECTED && link / npus == link % npus) {
                continue;
            }
            sink.accept(new LinkUse(
                    nearEnd(link),
                    topology == Topology.FULLY_CONNECTED ? link % npus : end(link),
                    0,
                    bytesPerNs,
                    crossed[link],
                    crossedBytes[link],
                    busyNs[link],
                    waitedNs[link],
                    longest[link]));
        }
    }

    private int nearEnd(int link) {
        return switch (topology) {
            case FULLY_CONNECTED -> link / npus;
            case SWITCH -> Math.min(link, npus);
            case RING -> link % npus;
            case MESH -> throw new IllegalStateException("no mesh");
        };
    }

    /** Far end of a link that does not depend on the message. */
    private int end(int link) {
        if (topology == Topology.SWITCH) {
            return link < npus ? npus : link - npus;
        }
        return link < npus ? (link + 1) % npus : (link - 1 + npus) % npus;
    }
}
