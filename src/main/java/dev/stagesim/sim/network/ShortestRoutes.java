package dev.stagesim.sim.network;

import java.util.Arrays;

/**
 * Ways with the fewest hops, spread over equal ones.
 *
 * <p>Where several links lead to the destination in as few hops, a message takes the one whose number in the order of
 * links is the destination over the device's stride, modulo how many there are: with strides set by the layer, traffic
 * to different destinations takes different ways up a tree. A stride of 0 mixes source, destination and device instead.
 * Messages of one pair always go the same way. The links towards a destination are found when it is first asked for, in
 * O(links); O(1) per hop after that.
 */
final class ShortestRoutes implements Router {
    private static final int UNREACHED = Integer.MAX_VALUE;

    private final LinkGraph graph;
    private final int[] stride;
    /** Links by the device they lead to, and by the device they leave, as starts and lists. */
    private final int[] intoStart;

    private final int[] into;
    private final int[] outStart;
    private final int[] out;
    /** For each destination: for each device where its choices begin, and the choices. */
    private final int[][] choiceStart;

    private final int[][] choices;

    /**
     * Prepares ways.
     *
     * @param stride by device; 0 where ways are mixed
     */
    ShortestRoutes(LinkGraph graph, int[] stride) {
        this.graph = graph;
        this.stride = stride.clone();
        int devices = graph.devices();
        intoStart = new int[devices + 1];
        outStart = new int[devices + 1];
        for (int link = 0; link < graph.links(); link++) {
            intoStart[graph.to(link) + 1]++;
            outStart[graph.from(link) + 1]++;
        }
        for (int device = 0; device < devices; device++) {
            intoStart[device + 1] += intoStart[device];
            outStart[device + 1] += outStart[device];
        }
        into = new int[graph.links()];
        out = new int[graph.links()];
        int[] nextInto = intoStart.clone();
        int[] nextOut = outStart.clone();
        for (int link = 0; link < graph.links(); link++) {
            into[nextInto[graph.to(link)]++] = link;
            out[nextOut[graph.from(link)]++] = link;
        }
        choiceStart = new int[graph.npus()][];
        choices = new int[graph.npus()][];
    }

    @Override
    public int next(int device, int source, int destination) {
        if (choiceStart[destination] == null) {
            find(destination);
        }
        int first = choiceStart[destination][device];
        int count = choiceStart[destination][device + 1] - first;
        if (count == 0) {
            throw new IllegalStateException("no way leads from " + device + " to " + destination);
        }
        return choices[destination][first + (count == 1 ? 0 : choice(device, source, destination, count))];
    }

    private int choice(int device, int source, int destination, int count) {
        if (stride[device] > 0) {
            return destination / stride[device] % count;
        }
        long mixed = (source * 0x9E3779B97F4A7C15L + destination) * 0xC2B2AE3D27D4EB4FL + device;
        mixed = (mixed ^ mixed >>> 29) * 0x165667B19E3779F9L;
        return (int) Long.remainderUnsigned(mixed ^ mixed >>> 32, count);
    }

    /** Whether every NPU reaches every other; if not, two that do not, else nothing. */
    int[] unreachable() {
        for (int destination = 0; destination < graph.npus(); destination++) {
            int[] hops = hops(destination);
            for (int source = 0; source < graph.npus(); source++) {
                if (hops[source] == UNREACHED) {
                    return new int[] {source, destination};
                }
            }
        }
        return new int[0];
    }

    private int[] hops(int destination) {
        int[] hops = new int[graph.devices()];
        Arrays.fill(hops, UNREACHED);
        int[] queue = new int[graph.devices()];
        int read = 0;
        int written = 0;
        hops[destination] = 0;
        queue[written++] = destination;
        while (read < written) {
            int device = queue[read++];

            for (int i = intoStart[device]; i < intoStart[device + 1]; i++) {
                int before = graph.from(into[i]);
                if (hops[before] == UNREACHED) {
                    hops[before] = hops[device] + 1;
                    queue[written++] = before;
                }
            }
        }
        return hops;
    }

    private void find(int destination) {
        int[] hops = hops(destination);
        int[] start = new int[graph.devices() + 1];
        int[] found = new int[graph.links()];
        int count = 0;
        for (int device = 0; device < graph.devices(); device++) {
            start[device] = count;
            for (int i = outStart[device]; i < outStart[device + 1]; i++) {
                boolean isNearer = hops[device] != UNREACHED && hops[graph.to(out[i])] == hops[device] - 1;
                if (isNearer) {
                    found[count++] = out[i];
                }
            }
        }
        start[graph.devices()] = count;
        choices[destination] = Arrays.copyOf(found, count);
        choiceStart[destination] = start;
    }
}
