package dev.stagesim.sim.network.packet.fastpath;

import dev.stagesim.sim.network.packet.topology.Ports;
import java.util.Arrays;

/** Ports used in a busy period, and the increments of their counters. */
final class BusyPeriodPorts {
    private static final int SUMS = 4;

    private int[] port = new int[16];
    /** Four counters per port. During the recording they are negated initial values. */
    private long[] sums = new long[SUMS * 16];

    private int[] maxWaiting = new int[16];
    private int count;

    int count() {
        return count;
    }

    /**
     * Adds a port if absent.
     *
     * @param placeOf by port: its index in the current recording
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

    /** Ends the recording. */
    void finish(Ports ports) {
        for (int place = 0; place < count; place++) {
            count(place, ports, 1);
            int before = maxWaiting[place];
            maxWaiting[place] = ports.maxWaiting[port[place]];
            ports.maxWaiting[port[place]] = Math.max(before, maxWaiting[place]);
        }
    }

    /** Adds the increments to the counters of the replay's ports. Returns the number of frames. */
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

    /** Clears the queue lengths of the replay's ports. */
    void clearQueues(int[] waiting, PortMap map) {
        for (int place = 0; place < count; place++) {
            int replayPort = map.of(port[place]);
            if (replayPort != Ports.NONE) {
                waiting[replayPort] = 0;
            }
        }
    }
}
