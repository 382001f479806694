package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * What happened from the first flow on an empty network until it was empty again: flows in order of their starts, with the
 * ports of their ways, and what became of them. Times are from the first start.
 */
final class BusyPeriod {
    /** The place of a port's last turn does not matter to a flow. */
    static final int ANY = -1;

    /** Most words that a round without samples takes for a flow, beside its way. */
    private static final int WORDS = 18;

    /** By flow. */
    long[] startedAt = new long[8];

    private long[] bytes = new long[8];
    private long[] window = new long[8];
    private int[][] path = new int[8][];
    private int[] forwardHops = new int[8];
    /** Place of the last turn at the flow's first port before the round, or any, and after it. */
    private int[] turnBefore = new int[8];

    private int[] turnAfter = new int[8];
    /** When the last acknowledgement starts on the last cable and when it is back, and the order of the former. */
    long[] lastLegAt = new long[8];

    long[] endedAt = new long[8];
    private long[] stamp = new long[8];

    private int size;
    private int hops;
    /** Flows in the order of their last legs, and within those of each ns of starts. */
    private int[] order = {};

    private int[] legs = {};

    final BusyPeriodPorts ports = new BusyPeriodPorts();
    final QueueHistory queues = new QueueHistory();
    /** Wake-ups of hosts. */
    long wakes;

    int size() {
        return size;
    }

    /** Memory that it takes, in words of 8 bytes. */
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

    /** Whether its flow of a number is like one that starts some time after the first, at ports that can stand for its own. */
    boolean matches(int number, long at, PacketTrain train, int lastTurn, PortMap map) {
        return number < size
                && startedAt[number] == at
                && bytes[number] == train.bytes
                && window[number] == train.window
                && forwardHops[number] == train.path.forwardHops()
                && (turnBefore[number] == ANY || turnBefore[number] == lastTurn)
                && map.maps(path[number], train.path);
    }

    /** Whether these are all the flows that started in its first ns. */
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

    /** A number that rounds which begin alike share, whichever hosts they are between. */
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

    /** A flow is over, by an event with this stamp. */
    void end(int number, long lastLeg, long at, long byStamp) {
        lastLegAt[number] = lastLeg;
        endedAt[number] = at;
        stamp[number] = byStamp;
    }

    /** All flows are over: works out in which order their last legs began, and takes the places of last turns in. */
    void finish(FlowQueues lists) {
        for (int i = 0; i < size; i++) {
            turnAfter[i] = lists.lastTurn(path[i][0]);
        }
        order = sorted(false);
        legs = sorted(true);
    }

    /** Sets the places of last turns at the ports that stand for those of its flows. */
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

    /** The flow whose last leg is the {@code i}-th. */
    int inOrder(int i) {
        return order[i];
    }

    /** The {@code i}-th flow in the order of starts and, within a ns, of last legs. */
    int leg(int i) {
        return legs[i];
    }
}
