package dev.stagesim.sim.trace.inspect;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An order of a graph's nodes in which each comes after those that it depends on; takes time in proportion to nodes and
 * dependencies. Dependencies on missing nodes are passed over.
 */
public final class Topology {
    private final TraceGraph graph;
    private final int[] order;
    private int ordered;
    private final int[] followerStart;
    private final int[] followers;
    private final int[] waits;

    private Topology(TraceGraph graph) {
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

    public static Topology of(TraceGraph graph) {
        Topology topology = new Topology(graph);
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

    /** Whether there is such an order for all nodes. */
    public boolean isComplete() {
        return ordered == graph.size();
    }

    /** The nodes in order, as far as there is one. */
    public int[] order() {
        return Arrays.copyOf(order, ordered);
    }

    /** A way round from among the nodes that have no order; empty when all have one. */
    public List<Integer> cycle() {
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
        // Every node left waits for another one that is left.
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
