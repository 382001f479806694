package dev.stagesim.sim.trace.inspect;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.NodeType;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Statistics of one trace.
 *
 * @param types totals per node type that occurs
 * @param collectives totals per collective and process group, such as {@code ALL_REDUCE} or {@code ALL_REDUCE of group
 * 3}
 * @param dataDeps number of data dependencies
 * @param ctrlDeps number of control dependencies
 * @param roots nodes without dependencies
 * @param leaves nodes without dependants
 * @param hostNodes nodes that run on the host CPU
 * @param path critical path; empty if the dependencies have a cycle
 */
public record TraceStats(
        long nodes,
        Map<NodeType, Totals> types,
        Map<String, Totals> collectives,
        long dataDeps,
        long ctrlDeps,
        long roots,
        long leaves,
        long hostNodes,
        Optional<CriticalPath> path) {
    /**
     * Totals over nodes.
     *
     * @param micros recorded durations in microseconds
     * @param bytes bytes transferred or accessed
     */
    public record Totals(long nodes, long micros, long bytes) {
        static final Totals NONE = new Totals(0, 0, 0);

        Totals plus(long moreMicros, long moreBytes) {
            return new Totals(nodes + 1, micros + moreMicros, bytes + moreBytes);
        }
    }

    public static TraceStats of(TraceGraph graph) {
        Map<NodeType, Totals> types = new TreeMap<>();
        Map<String, Totals> collectives = new TreeMap<>();
        boolean[] isNeeded = new boolean[graph.size()];
        long data = 0;
        long roots = 0;
        long hostNodes = 0;
        for (int node = 0; node < graph.size(); node++) {
            long bytes = Math.max(0, graph.bytes(node));
            add(types, graph.type(node), graph.duration(node), bytes);
            if (graph.type(node) == NodeType.COMM_COLL_NODE) {
                add(collectives, label(graph, node), graph.duration(node), bytes);
            }
            roots += graph.depBegin(node) == graph.depEnd(node) ? 1 : 0;
            hostNodes += graph.isHost(node) ? 1 : 0;
            for (int dep = graph.depBegin(node); dep < graph.depEnd(node); dep++) {
                data += graph.isData(node, dep) ? 1 : 0;
                if (graph.depNode(dep) >= 0) {
                    isNeeded[graph.depNode(dep)] = true;
                }
            }
        }
        long leaves = 0;
        for (boolean needed : isNeeded) {
            leaves += needed ? 0 : 1;
        }
        TopologicalOrder topology = TopologicalOrder.of(graph);
        return new TraceStats(
                graph.size(),
                types,
                collectives,
                data,
                graph.depCount() - data,
                roots,
                leaves,
                hostNodes,
                topology.isComplete() ? Optional.of(CriticalPath.of(graph, topology)) : Optional.empty());
    }

    private static <K> void add(Map<K, Totals> figures, K key, long micros, long bytes) {
        figures.put(key, figures.getOrDefault(key, Totals.NONE).plus(micros, bytes));
    }

    /** Name of a collective with its group. */
    private static String label(TraceGraph graph, int node) {
        String group = graph.groupName(node);
        return group.isEmpty() ? kind(graph, node) : kind(graph, node) + " of group " + group;
    }

    static String kind(TraceGraph graph, int node) {
        long number = graph.collective(node);
        return number == TraceGraph.NONE
                ? "unnamed"
                : CollectiveType.of(number).map(Enum::name).orElse("unknown " + number);
    }
}
