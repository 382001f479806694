package dev.stagesim.sim.trace.inspect;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Topological order of a graph's nodes, computed in linear time. Dependencies on missing nodes are ignored. */
public final class TopologicalOrder {
    private final TraceGraph graph;
    private final int[] order;
    private int ordered;
    private final int[] followerStart;
    private final int[] followers;
    private final int[] waits;

    private TopologicalOrder(TraceGraph graph) {
        this.graph = graph;
        order = new int[graph.size()];
        waits = new int[graph.size()];
        followerStart = new int[graph.size() + 1];
        for (int node = 0; node < graph.size(); node++) {
            for (int dep = graph.depBegin(node); dep < graph.depEnd(node); dep++) {
                if (graph.depNode(dep) >= 0) {
                    waits[node]++;
                    followerStart[graph.depNode(dep) + 1]++;
                }
            }
        }
        for (int i = 0; i < graph.size(); i++) {
            followerStart[i + 1] += followerStart[i];
        }
        followers = new int[followerStart[graph.size()]];
        int[] filled = Arrays.copyOf(followerStart, graph.size());
        for (int node = 0; node < graph.size(); node++) {
            for (int dep = graph.depBegin(node); dep < graph.depEnd(node); dep++) {
                if (graph.depNode(dep) >= 0) {
                    followers[filled[graph.depNode(dep)]++] = node;
                }
            }
        }
    }

    public static TopologicalOrder of(TraceGraph graph) {
        TopologicalOrder topology = new TopologicalOrder(graph);
        topology.sort();
        return topology;
    }

    private void sort() {
        for (int node = 0; node < graph.size(); node++) {
            if (waits[node] == 0) {
                order[ordered++] = node;
            }
        }
        for (int done = 0; done < ordered; done++) {
            int node = order[done];
            for (int i = followerStart[node]; i < followerStart[node + 1]; i++) {
                if (--waits[followers[i]] == 0) {
                    order[ordered++] = followers[i];
                }
            }
        }
    }

    /** True if all nodes have an order, that is, the graph has no cycle. */
    public boolean isComplete() {
        return ordered == graph.size();
    }

    /** Nodes in topological order, excluding nodes on or after a cycle. */
    int[] order() {
        return Arrays.copyOf(order, ordered);
    }

    /** Returns a cycle among the unordered nodes; empty if all nodes are ordered. */
    List<Integer> cycle() {
        if (isComplete()) {
            return List.of();
        }
        int[] seenAt = new int[graph.size()];
        Arrays.fill(seenAt, -1);
        int node = 0;
        while (waits[node] == 0) {
            node++;
        }
        List<Integer> path = new ArrayList<>();
        // Every remaining node waits for another remaining node, so the walk must repeat a node.
        while (seenAt[node] < 0) {
            seenAt[node] = path.size();
            path.add(node);
            node = stuckBefore(node);
        }
        return path.subList(seenAt[node], path.size());
    }

    private int stuckBefore(int node) {
        for (int dep = graph.depBegin(node); dep < graph.depEnd(node); dep++) {
            int before = graph.depNode(dep);
            if (before >= 0 && waits[before] > 0) {
                return before;
            }
        }
        throw new IllegalStateException("a node without an order waits for nothing");
    }
}
