package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * The flows of each port of a host in the order of their turns, with the wake-up for the first that may send later.
 *
 * <p>Complete flows leave a list only when a search comes across them, and the place of the last turn stays where it
 * was, as network cards do it.
 */
final class FlowQueues {
    private static final long NONE = -1;

    private final State state;
    private final Flows flows;
    private final boolean windowScaled;

    private final int[][] lists;
    private final int[] sizes;
    private final int[] last;
    private final long[] wakeAt;
    private final long[] wakeStamp;
    private int pendingWakes;
    private long handledWakes;
    /** Flows in all lists. */
    private int entries;

    FlowQueues(State state) {
        this.state = state;
        flows = state.flows;
        windowScaled = state.spec.transport().scaledWindow();
        lists = new int[state.ports.count][0];
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
        }
        lists[port][size] = flow;
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

    /** Whether a flow has as much in flight as its window allows; asked before a frame is sent, not after. */
    boolean isFull(int flow) {
        long window = flows.window[flow];
        if (window == 0) {
            return false;
        }
        long rate = flows.rate[flow];
        if (windowScaled && rate != flows.mostRate[flow]) {
            window = Math.max(1, window * rate / flows.mostRate[flow]);
        }
        return flows.nextByte[flow] - flows.acked[flow] >= window;
    }

    /** The flow whose turn it is on a port, or none; drops complete flows that stood in the way. */
    int choose(int port, long now, boolean paused) {
        int[] list = lists[port];
        int size = sizes[port];
        int chosen = Flows.NONE;
        int finished = Integer.MAX_VALUE;
        int at = size == 0 ? 0 : last[port] % size;
        for (int turn = 0; turn < size; turn++) {
            at = at + 1 == size ? 0 : at + 1;
            int flow = list[at];
            if (!paused && flows.nextByte[flow] < flows.bytes[flow] && !isFull(flow)) {
                if (flows.nextAllowed[flow] <= now) {
                    chosen = at;
                    break;
                }
            } else if (flows.acked[flow] >= flows.bytes[flow]) {
                finished = Math.min(finished, at);
            }
        }
        if (finished != Integer.MAX_VALUE) {
            chosen = compact(port, finished, chosen);
        }
        if (chosen == Flows.NONE) {
            return Flows.NONE;
        }
        last[port] = chosen;
        return list[chosen];
    }

    /** Drops all complete flows from {@code first} on and returns where the chosen one stands then. */
    private int compact(int port, int first, int chosen) {
        int[] list = lists[port];
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
        long first = Long.MAX_VALUE;
        for (int i = 0; i < sizes[port]; i++) {
            first = Math.min(first, flows.nextAllowed[lists[port][i]]);
        }
        if (wakeStamp[port] == NONE && first > state.now && first != Long.MAX_VALUE) {
            wakeAt[port] = first;
            wakeStamp[port] = state.heap.plan(first, State.WAKE | port);
            pendingWakes++;
        }
    }

    /** Whether the wake-up of a port that is due is the one that counts; there is none planned then. */
    boolean wakes(int port, long stamp) {
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
