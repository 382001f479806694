package dev.stagesim.sim.trace.inspect;

import java.util.Arrays;

/**
 * Longest chain of dependencies by recorded duration: a lower bound for any schedule.
 *
 * @param micros length in microseconds
 * @param nodes nodes of the chain, from first to last
 * @param earliest earliest start of every node in microseconds
 */
public record CriticalPath(long micros, int[] nodes, long[] earliest) {
    /** Computes the path of an acyclic graph; ties select the first dependency. */
    static CriticalPath of(TraceGraph graph, TopologicalOrder topology) {
        long[] start = new long[graph.size()];
        int[] from = new int[graph.size()];
        Arrays.fill(from, -1);
        int last = -1;
        long longest = -1;
        for (int node : topology.order()) {
            for (int dep = graph.depBegin(node); dep < graph.depEnd(node); dep++) {
                int before = graph.depNode(dep);
                if (before >= 0) {
                    long end = start[before] + graph.duration(before);
                    if (from[node] < 0 || end > start[node]) {
                        start[node] = end;
                        from[node] = before;
                    }
                }
            }
            if (start[node] + graph.duration(node) > longest) {
                longest = start[node] + graph.duration(node);
                last = node;
            }
        }
        int length = 0;
        for (int node = last; node >= 0; node = from[node]) {
            length++;
        }
        int[] nodes = new int[length];
        for (int node = last; node >= 0; node = from[node]) {
            nodes[--length] = node;
        }
        return new CriticalPath(Math.max(0, longest), nodes, start);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CriticalPath that
                && micros == that.micros
                && Arrays.equals(nodes, that.nodes)
                && Arrays.equals(earliest, that.earliest);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(micros) * 31 + Arrays.hashCode(nodes);
    }
}
