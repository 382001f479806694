package dev.stagesim.sim.trace.inspect;

import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.core.LongIndex;
import java.util.Arrays;
import java.util.Optional;

/**
 * A trace as a graph for drawing. Includes ids that occur only as dependencies.
 *
 * <p>Nodes are in the order of their first mention in the file, dependencies in file order.
 */
public final class GraphView {
    private final TraceGraph graph;
    private final long[] ids;
    private final int[] nodes;
    private final int size;
    private final int[] from;
    private final int[] to;
    private final boolean[] isData;

    private GraphView(TraceGraph graph) {
        this.graph = graph;
        LongIndex index = new LongIndex(graph.size());
        long[] found = new long[graph.size() + graph.depCount()];
        int[] declared = new int[found.length];
        Arrays.fill(declared, -1);
        from = new int[graph.depCount()];
        to = new int[graph.depCount()];
        isData = new boolean[graph.depCount()];
        int count = 0;
        for (int node = 0; node < graph.size(); node++) {
            count = mention(index, found, count, graph.id(node));
            int at = index.get(graph.id(node));
            declared[at] = node;
            for (int dep = graph.depBegin(node); dep < graph.depEnd(node); dep++) {
                count = mention(index, found, count, graph.depId(dep));
                from[dep] = index.get(graph.depId(dep));
                to[dep] = at;
                isData[dep] = graph.isData(node, dep);
            }
        }
        size = count;
        ids = Arrays.copyOf(found, count);
        nodes = Arrays.copyOf(declared, count);
    }

    private static int mention(LongIndex index, long[] found, int count, long id) {
        if (index.contains(id)) {
            return count;
        }
        index.put(id, count);
        found[count] = id;
        return count + 1;
    }

    public static GraphView of(TraceGraph graph) {
        return new GraphView(graph);
    }

    public int size() {
        return size;
    }

    public String id(int node) {
        return Long.toUnsignedString(ids[node]);
    }

    /** Name of a node; empty if the id occurs only as a dependency. */
    public Optional<String> label(int node) {
        return nodes[node] < 0 ? Optional.empty() : Optional.of(graph.name(nodes[node]));
    }

    /** Type of a node; empty if the id occurs only as a dependency. */
    public Optional<NodeType> type(int node) {
        return nodes[node] < 0 ? Optional.empty() : Optional.of(graph.type(nodes[node]));
    }

    /** True if the host CPU runs the node. */
    public boolean isHost(int node) {
        return nodes[node] >= 0 && graph.isHost(nodes[node]);
    }

    /** Recorded duration in microseconds. */
    public long duration(int node) {
        return nodes[node] < 0 ? 0 : graph.duration(nodes[node]);
    }

    public int edgeCount() {
        return from.length;
    }

    /** Node that must complete first. */
    public int from(int edge) {
        return from[edge];
    }

    /** Node that depends on {@link #from}. */
    public int to(int edge) {
        return to[edge];
    }

    public boolean isData(int edge) {
        return isData[edge];
    }
}
