package dev.stagesim.sim.network.packet.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Ports of all nodes. Port {@code 2c} is at end a of cable {@code c} and port {@code 2c + 1} at end b, so the far end
 * of {@code p} is {@code p ^ 1}.
 */
public final class Ports {
    public static final int NONE = -1;

    public final int count;
    public final int[] node;
    /** Number on its node, from 1. */
    public final int[] number;

    public final boolean[] onSwitch;
    public final long[] rate;
    public final long[] delay;
    public final TxTimes[] times;
    public final boolean[] up;

    /** Time when the current frame has left, and the stamp of that event. */
    public final long[] freeAt;

    public final long[] freeStamp;
    /** True if the event that frees the port is scheduled. */
    public final boolean[] freePlanned;
    /** Queued frames, first and last: acknowledgements at a host, priority 3 at a switch. */
    public final int[] queueHead;

    public final int[] queueTail;
    /** Queued pause frames at a switch, first and last. */
    public final int[] urgentHead;

    public final int[] urgentTail;
    /** Queued bytes of both queues. */
    public final int[] waiting;
    /** True if the far end has paused priority 3 (PFC). */
    public final boolean[] paused;

    /** Bytes and frames sent so far, and transmission time in ns. */
    public final long[] sentBytes;

    public final long[] sentFrames;
    public final long[] busyNs;
    /** Queueing time at a switch's port in ns, summed, and maximum queued bytes. */
    public final long[] waitedNs;

    public final int[] maxWaiting;
    /** Start of the current pause, total time of earlier pauses in ns, and their number. */
    public final long[] pausedSince;

    final long[] pausedNs;
    final int[] pauses;
    public final long[] marks;
    public final int[] drops;

    /** Ports of each node, by number. */
    public final int[][] ofNode;

    public Ports(PacketTopology topology) {
        boolean[] isSwitch = topology.isSwitch();
        count = 2 * topology.cables().size();
        node = new int[count];
        number = new int[count];
        onSwitch = new boolean[count];
        rate = new long[count];
        delay = new long[count];
        times = new TxTimes[count];
        up = filled(new boolean[count]);
        freeAt = new long[count];
        freeStamp = new long[count];
        freePlanned = filled(new boolean[count]);
        queueHead = filled(new int[count]);
        queueTail = filled(new int[count]);
        urgentHead = filled(new int[count]);
        urgentTail = filled(new int[count]);
        waiting = new int[count];
        paused = new boolean[count];
        sentBytes = new long[count];
        sentFrames = new long[count];
        busyNs = new long[count];
        waitedNs = new long[count];
        maxWaiting = new int[count];
        pausedSince = new long[count];
        pausedNs = new long[count];
        pauses = new int[count];
        marks = new long[count];
        drops = new int[count];
        Arrays.fill(freeAt, -1);
        ofNode = number(topology, isSwitch);
    }

    /** Sets the node, number, rate and delay of every port, and returns the ports of each node. */
    private int[][] number(PacketTopology topology, boolean[] isSwitch) {
        List<PacketTopology.Cable> cables = topology.cables();
        List<List<Integer>> perNode = new ArrayList<>();
        for (int i = 0; i < topology.nodes(); i++) {
            perNode.add(new ArrayList<>());
        }
        List<TxTimes> distinct = new ArrayList<>();
        for (int port = 0; port < count; port++) {
            PacketTopology.Cable cable = cables.get(port / 2);
            node[port] = port % 2 == 0 ? cable.a() : cable.b();
            perNode.get(node[port]).add(port);
            number[port] = perNode.get(node[port]).size();
            onSwitch[port] = isSwitch[node[port]];
            rate[port] = cable.rate();
            delay[port] = cable.delay();
            times[port] = timesAt(distinct, cable.rate());
        }
        return perNode.stream()
                .map(ports -> ports.stream().mapToInt(port -> port).toArray())
                .toArray(int[][]::new);
    }

    /** Longest time in ns from the start of a frame of this size to its arrival. */
    public long longestLeg(int size) {
        long longest = 0;
        for (int port = 0; port < count; port++) {
            longest = Math.max(longest, times[port].of(size) + delay[port]);
        }
        return longest;
    }

    /** Records a pause ({@code stop}) or a resume frame. */
    public void pause(int port, boolean stop, long now) {
        if (stop && !paused[port]) {
            pausedSince[port] = now;
            pauses[port]++;
        } else if (!stop && paused[port]) {
            pausedNs[port] += now - pausedSince[port];
        }
        paused[port] = stop;
    }

    private static TxTimes timesAt(List<TxTimes> known, long rate) {
        for (TxTimes times : known) {
            if (times.rate() == rate) {
                return times;
            }
        }
        TxTimes times = new TxTimes(rate);
        known.add(times);
        return times;
    }

    private static int[] filled(int[] array) {
        Arrays.fill(array, NONE);
        return array;
    }

    private static boolean[] filled(boolean[] array) {
        Arrays.fill(array, true);
        return array;
    }

    /** Use of a port until now. */
    public PortUse use(int port, long now) {
        return new PortUse(
                new PortUse.Location(node[port], number[port], node[port ^ 1], onSwitch[port]),
                rate[port],
                sentFrames[port],
                sentBytes[port],
                busyNs[port],
                waitedNs[port],
                maxWaiting[port],
                new PortUse.Pauses(
                        pauses[port], pausedNs[port] + (paused[port] ? now - pausedSince[port] : 0), paused[port]),
                marks[port],
                drops[port]);
    }

    /** Number of busy ports without a scheduled event that frees them. */
    public int freeLater(long now, long stamp) {
        int later = 0;
        for (int port = 0; port < count; port++) {
            boolean isFree = freeAt[port] < now || (freeAt[port] == now && freeStamp[port] < stamp);
            later += isFree || freePlanned[port] ? 0 : 1;
        }
        return later;
    }
}
