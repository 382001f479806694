package dev.stagesim.sim.network.packet.state;

import java.util.Arrays;

/**
 * Round-robin lists of the flows at each host port, and the wake-up for the first flow that must wait for its rate.
 *
 * <p>As in network cards, a complete flow leaves its list only when a search meets it, and the position of the last
 * turn does not change then. Flows that are blocked, by the window or because all bytes are sent, are skipped by later
 * searches until {@link #changed} is called. A frame therefore does not cost a scan of all flows.
 */
public final class FlowQueues {
    private static final long NONE = -1;

    private final State state;
    private final Flows flows;
    private final boolean windowScaled;

    private final int[][] lists;
    /** By port: one bit per list position, set if the flow at it must be examined. */
    private final long[][] open;

    private final int[] sizes;
    /** By port: position of the last turn. It survives the removal of flows. */
    private final int[] last;

    private final long[] wakeAt;
    private final long[] wakeStamp;
    private int pendingWakes;
    private long handledWakes;
    /** Number of flows in all lists. */
    private int entries;
    /** First position of a complete flow that the current search met. */
    private int complete;

    public FlowQueues(State state) {
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

    /** Appends a flow to the list of a port. */
    public void add(int port, int flow) {
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

    /** Removes all flows of a port. */
    public void clear(int port) {
        for (int i = 0; i < sizes[port]; i++) {
            flows.release(lists[port][i]);
        }
        entries -= sizes[port];
        sizes[port] = 0;
    }

    public boolean isEmpty(int port) {
        return sizes[port] == 0;
    }

    /** Position of the last turn of a port. */
    public int lastTurn(int port) {
        return last[port];
    }

    /** Sets the position of the last turn of a port. */
    public void lastTurn(int port, int place) {
        last[port] = place;
    }

    /** True if the bytes in flight fill the window. Checked before a frame is sent, as in the reference. */
    public boolean isWindowFull(int flow) {
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

    /** Marks a flow for examination, because it may be able to send or may be complete. */
    public void changed(int flow) {
        int port = flows.port[flow];
        int place = flows.listIndex[flow];
        if (place < sizes[port] && lists[port][place] == flow) {
            open[port][place / Long.SIZE] |= 1L << place;
        }
    }

    /** Chooses the next flow of a port, or none. Also removes the complete flows that the search met. */
    public int choose(int port, long now, boolean paused) {
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

    /**
     * Returns the first position in a range with a flow that may send now, or none; records the first complete flow.
     */
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

    /** Returns the first position in a range that must be examined, or {@code to} if there is none. */
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

    /** Removes all complete flows from {@code first} on. Returns the new position of the chosen flow. */
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
     * Schedules a wake-up for the earliest time when a flow of the port may send, unless one is pending.
     *
     * <p>The minimum includes flows that wait for other reasons. If that minimum is in the past, there is no wake-up.
     */
    public void planWake(int port) {
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

    /** Consumes a due wake-up. Returns false if it was superseded. */
    public boolean consumeWake(int port, long stamp) {
        pendingWakes--;
        handledWakes++;
        if (wakeStamp[port] != stamp) {
            return false;
        }
        wakeStamp[port] = NONE;
        return true;
    }

    /** Number of pending wake-ups, superseded ones included. */
    public int pendingWakes() {
        return pendingWakes;
    }

    /** Number of handled wake-ups. */
    public long handledWakes() {
        return handledWakes;
    }

    /** Number of flows in the lists of all ports. */
    public int entries() {
        return entries;
    }

    /** Moves a pending wake-up of a port forward to {@code time}, but not before now. */
    void wakeEarlier(int port, long time) {
        if (wakeStamp[port] != NONE && time < wakeAt[port]) {
            wakeAt[port] = Math.max(time, state.now);
            wakeStamp[port] = state.heap.plan(wakeAt[port], State.WAKE | port);
            pendingWakes++;
        }
    }
}
