package dev.stagesim.sim.network.packet.fastpath;

import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.QueueHistory;
import java.util.Arrays;

/**
 * Recording of a busy period: the time from the first flow on an empty network until the network is empty again.
 * Contains the flows by start time, the ports of their paths, and their end times. Times are relative to the first
 * start.
 */
public final class BusyPeriod {
    /** Marks a port if its last turn does not influence the flow. */
    static final int ANY = -1;

    /** Maximum words per flow of a recording without queue samples, except its path. */
    private static final int WORDS = 18;

    /** By flow. */
    long[] startedAt = new long[8];

    private long[] bytes = new long[8];
    private long[] window = new long[8];
    private int[][] path = new int[8][];
    private int[] forwardHops = new int[8];
    /** Position of the last turn at the flow's first port before the busy period (or {@link #ANY}), and after it. */
    private int[] turnBefore = new int[8];

    private int[] turnAfter = new int[8];
    /**
     * Times when the last acknowledgement starts on the last cable and when it arrives, and the order of the former.
     */
    long[] lastLegAt = new long[8];

    long[] endedAt = new long[8];
    private long[] stamp = new long[8];

    private int size;
    private int hops;
    /** Flows by last leg; and flows by start, then last leg. */
    private int[] order = {};

    private int[] legs = {};

    final BusyPeriodPorts ports = new BusyPeriodPorts();
    public final QueueHistory queues = new QueueHistory();
    /** Number of host wake-ups. */
    long wakes;

    int size() {
        return size;
    }

    /** Memory use in units of 8 bytes. */
    long words() {
        return (long) WORDS * size + hops / 2 + 6L * ports.count() + 2L * queues.size();
    }

    void add(PacketTrain train, long at, int lastTurn) {
        if (size == bytes.length) {
            grow();
        }
        startedAt[size] = at;
        bytes[size] = train.bytes;
        window[size] = train.window;
        path[size] = train.path.ports();
        forwardHops[size] = train.path.forwardHops();
        turnBefore[size] = lastTurn;
        hops += train.path.hops();
        size++;
    }

    private void grow() {
        int length = 2 * size;
        startedAt = Arrays.copyOf(startedAt, length);
        bytes = Arrays.copyOf(bytes, length);
        window = Arrays.copyOf(window, length);
        path = Arrays.copyOf(path, length);
        forwardHops = Arrays.copyOf(forwardHops, length);
        turnBefore = Arrays.copyOf(turnBefore, length);
        turnAfter = Arrays.copyOf(turnAfter, length);
        lastLegAt = Arrays.copyOf(lastLegAt, length);
        endedAt = Arrays.copyOf(endedAt, length);
        stamp = Arrays.copyOf(stamp, length);
    }

    /** True if flow {@code number} of the recording corresponds to a train that starts at this time. */
    boolean matches(int number, long at, PacketTrain train, int lastTurn, PortMap map) {
        return number < size
                && startedAt[number] == at
                && bytes[number] == train.bytes
                && window[number] == train.window
                && forwardHops[number] == train.path.forwardHops()
                && (turnBefore[number] == ANY || turnBefore[number] == lastTurn)
                && map.maps(path[number], train.path);
    }

    /** True if these trains correspond to all flows of the first ns. */
    boolean beginsWith(PacketTrain[] trains, int count, PortMap map) {
        if (count > size || (count < size && startedAt[count] == 0)) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (!matches(i, 0, trains[i], ANY, map)) {
                return false;
            }
        }
        return true;
    }

    /** Hash of the first flows, equal for equivalent busy periods between different hosts. */
    static long key(PacketTrain[] trains, int count, PortMap map) {
        map.beginShape();
        long key = count;
        for (int i = 0; i < count; i++) {
            key = 31 * key + trains[i].bytes;
            for (int hop = 0; hop < trains[i].path.hops(); hop++) {
                key = map.shape(key, trains[i].path.port(hop));
            }
        }
        return key;
    }

    long key(PortMap map) {
        int first = 0;
        while (first < size && startedAt[first] == 0) {
            first++;
        }
        map.beginShape();
        long key = first;
        for (int i = 0; i < first; i++) {
            key = 31 * key + bytes[i];
            for (int port : path[i]) {
                key = map.shape(key, port);
            }
        }
        return key;
    }

    /** Records the end of a flow and the stamp of that event. */
    void end(int number, long lastLeg, long at, long byStamp) {
        lastLegAt[number] = lastLeg;
        endedAt[number] = at;
        stamp[number] = byStamp;
    }

    /** Completes the recording: sorts the last legs and stores the positions of the last turns. */
    void finish(FlowQueues lists) {
        for (int i = 0; i < size; i++) {
            turnAfter[i] = lists.lastTurn(path[i][0]);
        }
        order = sorted(false);
        legs = sorted(true);
    }

    /** Sets the positions of the last turns at the replay's ports. */
    void setLastTurns(FlowQueues lists, PortMap map) {
        for (int i = 0; i < size; i++) {
            lists.lastTurn(map.of(path[i][0]), turnAfter[i]);
        }
    }

    private int[] sorted(boolean isByStart) {
        Integer[] numbers = new Integer[size];
        Arrays.setAll(numbers, i -> i);
        Arrays.sort(
                numbers,
                (a, b) -> isByStart && startedAt[a] != startedAt[b]
                        ? Long.compare(startedAt[a], startedAt[b])
                        : Long.compare(stamp[a], stamp[b]));
        return Arrays.stream(numbers).mapToInt(number -> number).toArray();
    }

    /** The {@code i}-th flow by last leg. */
    int byLastLeg(int i) {
        return order[i];
    }

    /** The {@code i}-th flow by start, then last leg. */
    int leg(int i) {
        return legs[i];
    }
}
