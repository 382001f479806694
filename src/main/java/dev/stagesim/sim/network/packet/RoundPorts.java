package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** The ports on the ways of a round's flows, and what the round adds to the sums of each. */
final class RoundPorts {
    private static final int SUMS = 4;

    private int[] port = new int[16];
    /** Four sums for each port: less what they were before, until the round is over. */
    private long[] sums = new long[SUMS * 16];

    private int[] mostWaiting = new int[16];
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
            mostWaiting = Arrays.copyOf(mostWaiting, 2 * count);
        }
        port[count] = added;
        placeOf[added] = count;
        count(count, ports, -1);
        mostWaiting[count] = ports.mostWaiting[added];
        ports.mostWaiting[added] = 0;
        count++;
    }

    private void count(int place, Ports ports, int times) {
        int at = SUMS * place;
        int its = port[place];
        sums[at] += times * ports.sentBytes[its];
        sums[at + 1] += times * ports.sentFrames[its];
        sums[at + 2] += times * ports.busyNs[its];
        sums[at + 3] += times * ports.waitedNs[its];
    }

    /** The round is over, or is not recorded any longer. */
    void finish(Ports ports) {
        for (int place = 0; place < count; place++) {
            count(place, ports, 1);
            int before = mostWaiting[place];
            mostWaiting[place] = ports.mostWaiting[port[place]];
            ports.mostWaiting[port[place]] = Math.max(before, mostWaiting[place]);
        }
    }

    /** Adds the round to the sums; returns how many frames that were. */
    long settle(Ports ports, PortMap map) {
        long frames = 0;
        for (int place = 0; place < count; place++) {
            int at = SUMS * place;
            int its = map.of(port[place]);
            ports.sentBytes[its] += sums[at];
            ports.sentFrames[its] += sums[at + 1];
            ports.busyNs[its] += sums[at + 2];
            ports.waitedNs[its] += sums[at + 3];
            ports.mostWaiting[its] = Math.max(ports.mostWaiting[its], mostWaiting[place]);
            frames += sums[at + 1];
        }
        return frames;
    }

    /** Nothing waits at any of the ports that stand for others. */
    void clearQueues(int[] waiting, PortMap map) {
        for (int place = 0; place < count; place++) {
            int its = map.of(port[place]);
            if (its != Ports.NONE) {
                waiting[its] = 0;
            }
        }
    }
}
