package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.feature.pytorch.trace.PlusTrace;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.core.StableOrder;
import java.util.Arrays;
import java.util.List;

/** Call tree of a linked trace, by position in the trace. */
final class NodeTree {
    private static final List<String> ROOTS =
            List.of("[pytorch|profiler|execution_graph|thread]", "[pytorch|profiler|execution_trace|thread]");

    private final List<PlusNode> nodes;
    private final LongIndex positions;
    private final int[] parents;
    private final int[] children;
    private final int[] childStart;

    NodeTree(PlusTrace trace) {
        nodes = trace.nodes();
        positions = new LongIndex(nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            if (positions.put(nodes.get(i).id(), i) >= 0) {
                throw StageException.input(Problem.trace(
                        trace.source(), "two nodes have the id " + nodes.get(i).id()));
            }
        }
        parents = new int[nodes.size()];
        childStart = new int[nodes.size() + 1];
        for (int i = 0; i < parents.length; i++) {
            parents[i] = positions.get(nodes.get(i).parent());
            if (parents[i] >= 0) {
                childStart[parents[i] + 1]++;
            }
        }
        for (int i = 0; i < parents.length; i++) {
            childStart[i + 1] += childStart[i];
        }
        children = new int[childStart[parents.length]];
        int[] filled = Arrays.copyOf(childStart, parents.length);
        for (int i = 0; i < parents.length; i++) {
            if (parents[i] >= 0) {
                children[filled[parents[i]]++] = i;
            }
        }
    }

    int size() {
        return nodes.size();
    }

    PlusNode node(int position) {
        return nodes.get(position);
    }

    /** Position of a node, or -1. */
    int position(long id) {
        return positions.get(id);
    }

    /** Position of the caller, or -1. */
    int parent(int position) {
        return parents[position];
    }

    /** Positions of the called nodes, in file order. */
    int[] children(int position) {
        return Arrays.copyOfRange(children, childStart[position], childStart[position + 1]);
    }

    /** Positions of the called nodes, by descending id. */
    int[] childrenDown(int position) {
        int[] list = children(position);
        boolean isAscending = true;
        for (int i = 1; i < list.length; i++) {
            isAscending &= nodes.get(list[i - 1]).id() < nodes.get(list[i]).id();
        }
        if (!isAscending) {
            StableOrder.sort(
                    list, (a, b) -> Long.compare(nodes.get(a).id(), nodes.get(b).id()));
        }
        for (int i = 0; i < list.length / 2; i++) {
            int other = list[list.length - 1 - i];
            list[list.length - 1 - i] = list[i];
            list[i] = other;
        }
        return list;
    }

    /** True if a node represents a thread, the root of its calls. */
    boolean isRoot(int position) {
        return ROOTS.contains(nodes.get(position).name());
    }
}
