package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * The flows of each port of a host in the order of their turns, with the wake-up for the first that may send later.
 *
 * <p>Complete flows leave a list only when a search comes across them, and the place of the last turn stays where it
 * was, as network cards do it. A search passes over flows that an earlier one found held back, by a window or with
 * nothing left to send, until something about them changes; so a frame does not cost a look at every flow of the port.
 */
final class FlowQueues {
    private static final long NONE = -1;

    private final State state;
    private final Flows flows;
    private final boolean windowScaled;

    private final int[][] lists;
    /** By port: a bit for each place of the list whose flow has to be looked at. */
    private final long[][] open;

    private final int[] sizes;
    /** By port: the place of the last turn, which outlives the flows of the list. */
    private final int[] last;

    private final long[] wakeAt;
    private final long[] wakeStamp;
    private int pendingWakes;
    private long handledWakes;
    /** Flows in all lists. */
    private int entries;
    /** First place of a complete flow that a search came across. */
    private int complete;

    FlowQueues(State state) {
        this.state = state;
        flows = state.flows;
        windowScaled = state.spec.transport().scaledWindow();
        lists = new int[state.ports.count][0];
        open = new long[state.ports.count][0];
        sizes = new int[state.ports.count];
        last = new int[state.ports.count];
        wakeAt = new long[state.ports.count];
        wakeStamp = new long[state.ports.count];
        Arrays.fill(wakeStamp, NONE);
    }

    /** Puts a flow last in the list of a port. */
    void add(int port, int flow) {
        int size = sizes[port]++;
        if (size == lists[port].length) {
            lists[port] = Arrays.copyOf(lists[port], Math.max(4, 2 * size));
            open[port] = Arrays.copyOf(open[port], (lists[port].length + Long.SIZE - 1) / Long.SIZE);
        }
        lists[port][size] = flow;
        flows.listIndex[flow] = size;
        open[port][size / Long.SIZE] |= 1L << size;
        entries++;
        flows.references[flow]++;
    }

    /** Empties the list of a port. */
    void clear(int port) {
        for (int i = 0; i < sizes[port]; i++) {
            flows.release(lists[port][i]);
        }
        entries -= sizes[port];
        sizes[port] = 0;
    }

    boolean isEmpty(int port) {
        return sizes[port] == 0;
    }

    /** Place of a port's last turn. */
    int lastTurn(int port) {
        return last[port];
    }

    /** Sets the place of a port's last turn. */
    void lastTurn(int port, int place) {
        last[port] = place;
    }

    /** Whether a flow has as much in flight as its window allows; asked before a frame is sent, not after. */
    boolean isWindowFull(int flow) {
        long window = flows.window[flow];
        if (window == 0) {
            return false;
        }
        long rate = flows.rate[flow];
        if (windowScaled && rate != flows.maxRate[flow]) {
            window = Math.max(1, window * rate / flows.maxRate[flow]);
        }
        return flows.nextByte[flow] - flows.acked[flow] >= window;
    }

    /** Something about a flow has changed: it may be able to send, or be complete. */
    void changed(int flow) {
        int port = flows.port[flow];
        int place = flows.listIndex[flow];
        if (place < sizes[port] && lists[port][place] == flow) {
            open[port][place / Long.SIZE] |= 1L << place;
        }
    }

    /** The flow whose turn it is on a port, or none; drops complete flows that stood in the way. */
    int choose(int port, long now, boolean paused) {
        int size = sizes[port];
        if (size == 0) {
            return Flows.NONE;
        }
        int from = last[port] % size + 1;
        complete = Integer.MAX_VALUE;
        int chosen = search(port, from, size, now, paused);
        if (chosen == Flows.NONE) {
            chosen = search(port, 0, from, now, paused);
        }
        if (complete != Integer.MAX_VALUE) {
            chosen = compact(port, complete, chosen);
        }
        if (chosen == Flows.NONE) {
            return Flows.NONE;
        }
        last[port] = chosen;
        return lists[port][chosen];
    }

    /** First place from one on and before another whose flow may send now; notes the first that is complete on the way. */
    private int search(int port, int from, int to, long now, boolean paused) {
        int[] list = lists[port];
        long[] bits = open[port];
        for (int at = next(bits, from, to); at < to; at = next(bits, at + 1, to)) {
            int flow = list[at];
            if (!paused && flows.nextByte[flow] < flows.bytes[flow] && !isWindowFull(flow)) {
                if (flows.nextAllowed[flow] <= now) {
                    return at;
                }
            } else if (flows.acked[flow] >= flows.bytes[flow]) {
                complete = Math.min(complete, at);
            } else if (!paused) {
                bits[at / Long.SIZE] &= ~(1L << at);
            }
        }
        return Flows.NONE;
    }

    /** First place from one on that has to be looked at, or {@code to} when there is none before. */
    private static int next(long[] bits, int from, int to) {
        int at = from;
        while (at < to) {
            long rest = bits[at / Long.SIZE] >>> at;
            if (rest != 0) {
                return Math.min(to, at + Long.numberOfTrailingZeros(rest));
            }
            at = (at / Long.SIZE + 1) * Long.SIZE;
        }
        return to;
    }

    /** Drops all complete flows from {@code first} on and returns where the chosen one stands then. */
    private int compact(int port, int first, int chosen) {
        int[] list = lists[port];
        long[] bits = open[port];
        int place = chosen;
        int kept = first;
        for (int i = first; i < sizes[port]; i++) {
            int flow = list[i];
            if (flows.acked[flow] >= flows.bytes[flow]) {
                flows.release(flow);
                continue;
            }
            if (i == chosen) {
                place = kept;
            }
            long bit = (bits[i / Long.SIZE] >>> i) & 1;
            bits[kept / Long.SIZE] = (bits[kept / Long.SIZE] & ~(1L << kept)) | (bit << kept);
            flows.listIndex[flow] = kept;
            list[kept++] = flow;
        }
        entries -= sizes[port] - kept;
        sizes[port] = kept;
        return place;
    }

    /**
     * Plans a new attempt for when the first of a port's flows may send, if none is planned.
     *
     * <p>Flows that wait for something else count as well, so that one of them in the past means no wake-up.
     */
    void planWake(int port) {
        if (wakeStamp[port] != NONE) {
            return;
        }
        long first = Long.MAX_VALUE;
        for (int i = 0; i < sizes[port] && first > state.now; i++) {
            first = Math.min(first, flows.nextAllowed[lists[port][i]]);
        }
        if (first > state.now && first != Long.MAX_VALUE) {
            wakeAt[port] = first;
            wakeStamp[port] = state.heap.plan(first, State.WAKE | port);
            pendingWakes++;
        }
    }

    /** Whether the wake-up of a port that is due is the one that counts; there is none planned then. */
    boolean consumeWake(int port, long stamp) {
        pendingWakes--;
        handledWakes++;
        if (wakeStamp[port] != stamp) {
            return false;
        }
        wakeStamp[port] = NONE;
        return true;
    }

    /** Wake-ups that are planned, whether they still count or not. */
    int pendingWakes() {
        return pendingWakes;
    }

    /** Wake-ups that were handled. */
    long handledWakes() {
        return handledWakes;
    }

    /** Flows in the lists of all ports. */
    int entries() {
        return entries;
    }

    /** Moves a planned wake-up of a port forward to {@code time}, not before now. */
    void wakeEarlier(int port, long time) {
        if (wakeStamp[port] != NONE && time < wakeAt[port]) {
            wakeAt[port] = Math.max(time, state.now);
            wakeStamp[port] = state.heap.plan(wakeAt[port], State.WAKE | port);
            pendingWakes++;
        }
    }
}
