package dev.stagesim.sim.network.packet.fastpath;

import dev.stagesim.sim.network.packet.state.FlowPath;
import dev.stagesim.sim.network.packet.switching.SwitchSide;
import dev.stagesim.sim.network.packet.topology.Ports;
import java.util.Arrays;

/**
 * Bijection from the ports of a recorded busy period to the ports of its replay between other hosts. It maps cables to
 * cables and nodes to nodes with equal rates, delays and buffers.
 */
final class PortMap {
    private static final int NONE = -1;

    private final Ports ports;
    private final SwitchSide switches;
    /** Port of the replay by port of the recording, the inverse map, and the same two maps for nodes. */
    private final int[] image;

    private final int[] original;
    private final int[] nodeImage;
    private final int[] nodeOriginal;
    private int[] mapped = new int[16];
    private int count;

    /** Number of each cable and node within the current shape, and the shape in which the number was assigned. */
    private final int[] cableNumber;

    private final int[] cableShape;
    private final int[] nodeNumber;
    private final int[] nodeShape;
    private int shape;
    private int cables;
    private int nodes;

    PortMap(Ports ports, SwitchSide switches) {
        this.ports = ports;
        this.switches = switches;
        int nodeCount = ports.ofNode.length;
        image = new int[ports.count];
        original = new int[ports.count];
        nodeImage = new int[nodeCount];
        nodeOriginal = new int[nodeCount];
        cableNumber = new int[ports.count / 2];
        cableShape = new int[ports.count / 2];
        nodeNumber = new int[nodeCount];
        nodeShape = new int[nodeCount];
        Arrays.fill(image, NONE);
        Arrays.fill(original, NONE);
        Arrays.fill(nodeImage, NONE);
        Arrays.fill(nodeOriginal, NONE);
    }

    /** Removes all pairs. */
    void clear() {
        for (int i = 0; i < count; i++) {
            int port = mapped[i];
            original[image[port]] = NONE;
            nodeOriginal[nodeImage[ports.node[port]]] = NONE;
            image[port] = NONE;
        }
        for (int i = 0; i < count; i++) {
            nodeImage[ports.node[mapped[i]]] = NONE;
        }
        count = 0;
    }

    /** The replay's port for a port of the recording. */
    int of(int port) {
        return image[port];
    }

    /** Extends the map by two paths. Returns false if they do not correspond. */
    boolean maps(int[] from, FlowPath to) {
        if (from.length != to.hops()) {
            return false;
        }
        for (int hop = 0; hop < from.length; hop++) {
            int port = from[hop];
            int other = to.port(hop);
            if (image[port] != other && !(join(port, other) && join(port ^ 1, other ^ 1))) {
                return false;
            }
        }
        return true;
    }

    private boolean join(int port, int other) {
        int node = ports.node[port];
        int otherNode = ports.node[other];
        boolean isFree = image[port] == NONE && original[other] == NONE;
        boolean areNodes = nodeImage[node] == otherNode || (nodeImage[node] == NONE && nodeOriginal[otherNode] == NONE);
        if (!isFree || !areNodes || !areEquivalent(port, other)) {
            return false;
        }
        if (count == mapped.length) {
            mapped = Arrays.copyOf(mapped, 2 * count);
        }
        mapped[count++] = port;
        image[port] = other;
        original[other] = port;
        nodeImage[node] = otherNode;
        nodeOriginal[otherNode] = node;
        return true;
    }

    private boolean areEquivalent(int port, int other) {
        return ports.rate[port] == ports.rate[other]
                && ports.delay[port] == ports.delay[other]
                && ports.onSwitch[port] == ports.onSwitch[other]
                && (!ports.onSwitch[port] || switches.areEquivalent(port, other));
    }

    /** Begins a new shape: a hash of paths that does not depend on the choice among equivalent ports. */
    void beginShape() {
        shape++;
        cables = 0;
        nodes = 0;
    }

    /** Adds a port of a path to the shape. */
    long shape(long before, int port) {
        int cable = port >> 1;
        if (cableShape[cable] != shape) {
            cableShape[cable] = shape;
            cableNumber[cable] = 2 * cables++ + (port & 1);
        }
        int node = ports.node[port];
        if (nodeShape[node] != shape) {
            nodeShape[node] = shape;
            nodeNumber[node] = nodes++;
        }
        return 31 * (31 * before + (cableNumber[cable] ^ (port & 1))) + nodeNumber[node];
    }
}
