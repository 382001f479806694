package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** The ports on the ways of a round's flows, and what the round adds to the sums of each. */
final class BusyPeriodPorts {
    private static final int SUMS = 4;

    private int[] port = new int[16];
    /** Four sums for each port: less what they were before, until the round is over. */
    private long[] sums = new long[SUMS * 16];

    private int[] maxWaiting = new int[16];
    private int count;

    int count() {
        return count;
    }

    /**
     * Takes a port in, if it is not there.
     *
     * @param placeOf by port: where it is in the round that is recorded
     */
    void add(int added, int[] placeOf, Ports ports) {
        int place = placeOf[added];
        if (place < count && port[place] == added) {
            return;
        }
        if (count == port.length) {
            port = Arrays.copyOf(port, 2 * count);
            sums = Arrays.copyOf(sums, 2 * SUMS * count);
            maxWaiting = Arrays.copyOf(maxWaiting, 2 * count);
        }
        port[count] = added;
        placeOf[added] = count;
        count(count, ports, -1);
        maxWaiting[count] = ports.maxWaiting[added];
        ports.maxWaiting[added] = 0;
        count++;
    }

    private void count(int place, Ports ports, int times) {
        int at = SUMS * place;
        int replayPort = port[place];
        sums[at] += times * ports.sentBytes[replayPort];
        sums[at + 1] += times * ports.sentFrames[replayPort];
        sums[at + 2] += times * ports.busyNs[replayPort];
        sums[at + 3] += times * ports.waitedNs[replayPort];
    }

    /** The round is over, or is not recorded any longer. */
    void finish(Ports ports) {
        for (int place = 0; place < count; place++) {
            count(place, ports, 1);
            int before = maxWaiting[place];
            maxWaiting[place] = ports.maxWaiting[port[place]];
            ports.maxWaiting[port[place]] = Math.max(before, maxWaiting[place]);
        }
    }

    /** Adds the round to the sums; returns how many frames that were. */
    long addTo(Ports ports, PortMap map) {
        long frames = 0;
        for (int place = 0; place < count; place++) {
            int at = SUMS * place;
            int replayPort = map.of(port[place]);
            ports.sentBytes[replayPort] += sums[at];
            ports.sentFrames[replayPort] += sums[at + 1];
            ports.busyNs[replayPort] += sums[at + 2];
            ports.waitedNs[replayPort] += sums[at + 3];
            ports.maxWaiting[replayPort] = Math.max(ports.maxWaiting[replayPort], maxWaiting[place]);
            frames += sums[at + 1];
        }
        return frames;
    }

    /** Nothing waits at any of the ports that stand for others. */
    void clearQueues(int[] waiting, PortMap map) {
        for (int place = 0; place < count; place++) {
            int replayPort = map.of(port[place]);
            if (replayPort != Ports.NONE) {
                waiting[replayPort] = 0;
            }
        }
    }
}
