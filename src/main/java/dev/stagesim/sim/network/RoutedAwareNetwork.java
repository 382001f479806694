package dev.stagesim.sim.network;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Any graph of links that transmit one message at a time, store-and-forward at every hop; on the networks of one
 * dimension it gives the times of {@link CongestionAwareNetwork}.
 *
 * <p>The queues are linked through the messages; O(1) per hop beside the router.
 */
final class RoutedAwareNetwork extends AnalyticNetwork {
    private static final int OFFER = 0;
    private static final int FREE = 1;
    private static final int NONE = -1;

    private final LinkGraph graph;
    private final Router router;
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

    RoutedAwareNetwork(Fabric fabric) {
        graph = fabric.graph();
        router = fabric.router();
        int links = graph.links();
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
        return graph.npus();
    }

    @Override
    void start(int message, int from, int to, long bytes) {
        if (from == to) {
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
        int link = router.next(at[message], source(message), destination(message));
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
        double serialization = size / graph.bytesPerNs(link);
        int device = graph.to(link);
        at[message] = device;
        long arrival = now() + (long) (graph.latency(link) + serialization);
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

    @Override
    void grow(int messages) {
        at = Arrays.copyOf(at, messages);
        behind = Arrays.copyOf(behind, messages);
        since = Arrays.copyOf(since, messages);
    }

    @Override
    public void links(Consumer<LinkUse> sink) {
        for (int link = 0; link < graph.links(); link++) {
            sink.accept(new LinkUse(
                    graph.from(link),
                    graph.to(link),
                    graph.dimension(link),
                    graph.bytesPerNs(link),
                    crossed[link],
                    crossedBytes[link],
                    busyNs[link],
                    waitedNs[link],
                    longest[link]));
        }
    }
}
