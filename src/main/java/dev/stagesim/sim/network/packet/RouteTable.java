package dev.stagesim.sim.network.packet;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where every node sends what is for a host, and the figures of the paths.
 *
 * <p>Hosts that hang by equal cables on the same neighbours are of one class. Takes two bytes for each pair of a node
 * and a class, four for each pair of classes, and what the lists of a node take, each of which is kept once.
 */
final class RouteTable {
    /** The choice {@code DIRECT + k} is the cable that the host has as its k-th. */
    static final int DIRECT = 1 << 15;

    private final int classes;
    private final int[] classOf;
    /** By host: its ports that routing uses. */
    private final int[][] cables;
    /** By node and class: which of the node's lists, or a cable of the host. */
    private final char[] choices;

    private final int[][][] lists;
    private final @Nullable PathFigures[] paths;
    private final Map<PathFigures, PathFigures> distinct = new LinkedHashMap<>();
    private final @Nullable RouteTable before;

    /**
     * An empty table.
     *
     * @param cables ports of each host that routing uses
     * @param before the table to ask for pairs that have no path here
     */
    RouteTable(int nodes, int[] classOf, int classes, int[][] cables, @Nullable RouteTable before) {
        this.classes = classes;
        this.classOf = classOf;
        this.cables = cables;
        this.before = before;
        choices = new char[nodes * classes];
        lists = new int[nodes][1][0];
        paths = new PathFigures[classes * classes];
    }

    int choice(int node, int host) {
        return choices[node * classes + classOf[host]];
    }

    int[] list(int node, int choice) {
        return lists[node][choice];
    }

    /** Whether a node has a list of several ports. */
    boolean hasChoice(int node) {
        for (int[] list : lists[node]) {
            if (list.length > 1) {
                return true;
            }
        }
        return false;
    }

    int cable(int host, int number) {
        return cables[host][number];
    }

    /** Figures of the path between two hosts, of an earlier one if there is none now. */
    @Nullable
    PathFigures path(int source, int destination) {
        PathFigures path = paths[classOf[source] * classes + classOf[destination]];
        return path != null || before == null ? path : before.path(source, destination);
    }

    /** All figures that occur. */
    Collection<PathFigures> figures() {
        return distinct.keySet();
    }

    /** Sets the list of a node for a class: the first {@code count} of {@code found}. */
    void choose(int node, int ofClass, int[] found, int count) {
        int[][] known = lists[node];
        for (int i = 0; i < known.length; i++) {
            if (Arrays.equals(known[i], 0, known[i].length, found, 0, count)) {
                choices[node * classes + ofClass] = (char) i;
                return;
            }
        }
        if (known.length == DIRECT) {
            throw new IllegalStateException("node " + node + " has more than " + DIRECT + " lists of equal paths");
        }
        int[][] more = Arrays.copyOf(known, known.length + 1);
        more[known.length] = Arrays.copyOf(found, count);
        lists[node] = more;
        choices[node * classes + ofClass] = (char) known.length;
    }

    /** Sets the choice of a neighbour: the cable that hosts of the class have as their {@code number}-th. */
    void chooseCable(int node, int ofClass, int number) {
        choices[node * classes + ofClass] = (char) (DIRECT + number);
    }

    void setPath(int source, int ofClass, long roundTrip, long slowest) {
        PathFigures path = PathFigures.of(roundTrip, slowest);
        PathFigures kept = distinct.putIfAbsent(path, path);
        paths[classOf[source] * classes + ofClass] = kept == null ? path : kept;
    }
}
