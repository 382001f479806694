package dev.stagesim.sim.trace.inspect;

import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.core.StableOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Start time and lane of each node of a trace.
 *
 * <p>Uses recorded starts if the trace has them. Otherwise each node starts as early as its dependencies allow, with
 * recorded durations and unlimited resources. Overlapping nodes of one kind are put into different lanes.
 */
public final class NodeTimeline {
    /** Kinds of lanes, in display order. */
    public enum Kind {
        HOST,
        COMPUTE,
        COMMUNICATION,
        MEMORY
    }

    /**
     * A node on a timeline.
     *
     * @param node position in the graph
     * @param kind kind of the lane
     * @param lane number of the lane within its kind, from 0
     * @param start start in microseconds
     */
    public record Slice(int node, Kind kind, int lane, long start) {}

    private NodeTimeline() {}

    public static boolean isRecorded(TraceGraph graph) {
        for (int node = 0; node < graph.size(); node++) {
            if (graph.start(node) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Passes the nodes to {@code slices} in the order of their start times. */
    public static void forEach(TraceGraph graph, Consumer<Slice> slices) {
        long[] starts = starts(graph);
        int[] order = StableOrder.of(graph.size(), (a, b) -> Long.compare(starts[a], starts[b]));
        List<List<Long>> ends = new ArrayList<>();
        for (int i = 0; i < Kind.values().length; i++) {
            ends.add(new ArrayList<>());
        }
        for (int node : order) {
            Kind kind = kind(graph, node);
            if (graph.type(node) == NodeType.METADATA_NODE) {
                continue;
            }
            int lane = lane(ends.get(kind.ordinal()), starts[node], graph.duration(node));
            slices.accept(new Slice(node, kind, lane, starts[node]));
        }
    }

    private static long[] starts(TraceGraph graph) {
        if (isRecorded(graph)) {
            long[] starts = new long[graph.size()];
            for (int node = 0; node < graph.size(); node++) {
                starts[node] = graph.start(node);
            }
            return starts;
        }
        return CriticalPath.of(graph, TopologicalOrder.of(graph)).earliest();
    }

    private static int lane(List<Long> ends, long start, long duration) {
        for (int lane = 0; lane < ends.size(); lane++) {
            if (ends.get(lane) <= start) {
                ends.set(lane, start + duration);
                return lane;
            }
        }
        ends.add(start + duration);
        return ends.size() - 1;
    }

    private static Kind kind(TraceGraph graph, int node) {
        return switch (graph.type(node)) {
            case COMM_SEND_NODE, COMM_RECV_NODE, COMM_COLL_NODE -> Kind.COMMUNICATION;
            case MEM_LOAD_NODE, MEM_STORE_NODE -> Kind.MEMORY;
            default -> graph.isHost(node) ? Kind.HOST : Kind.COMPUTE;
        };
    }
}
