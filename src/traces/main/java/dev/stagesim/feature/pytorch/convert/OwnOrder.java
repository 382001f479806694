package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.sim.core.StableOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Derives dependencies between operators from the order of calls and streams, and from synchronisations.
 *
 * <p>Each thread and each stream is sequential; a device operator depends on its launch; waiting operators depend on
 * the operators they wait for. Each node has a rank with two parts: the later of its start and its caller's first part,
 * then its position in the call order. Every dependency goes from a lower to a higher rank, so no cycle is possible for
 * any trace.
 */
final class OwnOrder {
    private static final int NONE = -1;

    private final NodeTree tree;
    private final int[] made;
    private final boolean[] isMade;
    private final DepLists deps;
    /**
     * First part of the rank: the start of the node, or the first part of its caller's rank if that is later, in the
     * unit of the trace.
     */
    private final double[] start;
    /** Second part of the rank: position in a traversal of all calls, callers first. */
    private final int[] place;

    private final int[] root;
    private int places;
    private int omitted;

    /**
     * @param made positions of the nodes to order
     */
    OwnOrder(NodeTree tree, int[] made, boolean[] isMade) {
        this.tree = tree;
        this.made = made;
        this.isMade = isMade;
        deps = new DepLists(tree.size());
        start = new double[tree.size()];
        place = new int[tree.size()];
        root = new int[tree.size()];
        Arrays.fill(place, NONE);
        Arrays.fill(root, NONE);
    }

    DepLists dataDeps() {
        for (int position : made) {
            int caller = tree.parent(position);
            if (caller < 0 || caller == position || !isMade[caller]) {
                walk(position);
            }
        }
        for (int position : made) {
            if (place[position] == NONE) {
                // The node is part of a cycle of callers.
                walk(position);
            }
        }
        int[] order = made.clone();
        StableOrder.sort(order, this::compare);
        threads(order);
        streams(order);
        for (int position : order) {
            PlusNode node = tree.node(position);
            if (node.isDevice() && !node.isMetadata()) {
                continue;
            }
            if (node.interThread() != OpFacts.NONE && node.interThread() != 0) {
                addEarlier(position, node.interThread());
            }
        }
        for (int position : order) {
            for (long id : tree.node(position).after()) {
                addEarlier(position, id);
            }
        }
        return deps;
    }

    List<String> remarks() {
        return omitted == 0 ? List.of() : List.of(omitted + " dependencies on missing or later operators are omitted");
    }

    /** True if a node precedes another one in the traversal of all calls. */
    boolean isBefore(int first, int second) {
        return place[first] < place[second];
    }

    private int compare(int first, int second) {
        int byStart = Double.compare(start[first], start[second]);
        return byStart != 0 ? byStart : Integer.compare(place[first], place[second]);
    }

    private void walk(int top) {
        int[] stack = new int[64];
        int depth = 0;
        stack[depth++] = top;
        rank(top, NONE);
        while (depth > 0) {
            int at = stack[--depth];
            place[at] = places++;
            int[] children = tree.childrenDown(at);
            if (depth + children.length > stack.length) {
                stack = Arrays.copyOf(stack, Math.max(stack.length * 2, depth + children.length));
            }
            for (int child : children) {
                if (isMade[child] && place[child] == NONE && child != at) {
                    rank(child, at);
                    // Mark as visited, so that a node occurs once in the traversal.
                    place[child] = 0;
                    stack[depth++] = child;
                }
            }
        }
    }

    private void rank(int position, int caller) {
        double own = tree.node(position).times().map(PlusNode.Times::start).orElse(0.0);
        start[position] = caller == NONE ? own : Math.max(own, start[caller]);
        root[position] = tree.isRoot(position) ? position : caller == NONE ? NONE : root[caller];
    }

    /** Adds the sequential order of each thread, and launches. */
    private void threads(int[] order) {
        int[] last = new int[tree.size()];
        Arrays.fill(last, NONE);
        for (int position : order) {
            PlusNode node = tree.node(position);
            if (node.isDevice() && !node.isMetadata()) {
                if (tree.parent(position) >= 0 && isMade[tree.parent(position)]) {
                    deps.add(position, tree.node(tree.parent(position)).id());
                }
            } else if (root[position] != NONE) {
                if (last[root[position]] != NONE) {
                    deps.add(position, tree.node(last[root[position]]).id());
                }
                last[root[position]] = position;
            }
        }
    }

    /** Adds the sequential order of each stream. */
    private void streams(int[] order) {
        int[] ops = Arrays.stream(order).filter(this::hasStream).toArray();
        StableOrder.sort(ops, this::compareStreams);
        for (int i = 1; i < ops.length; i++) {
            if (compareStreams(ops[i - 1], ops[i]) == 0) {
                deps.add(ops[i], tree.node(ops[i - 1]).id());
            }
        }
    }

    private boolean hasStream(int position) {
        PlusNode node = tree.node(position);
        return node.times().isPresent()
                && node.device().map(side -> side.stream() != OpFacts.NONE).orElse(false);
    }

    private int compareStreams(int a, int b) {
        PlusNode.DeviceSide first = tree.node(a).device().orElseThrow();
        PlusNode.DeviceSide second = tree.node(b).device().orElseThrow();
        int byDevice = Long.compare(first.ordinal(), second.ordinal());
        return byDevice != 0 ? byDevice : Long.compare(first.stream(), second.stream());
    }

    /** Adds a dependency on an existing node with a lower rank. */
    private void addEarlier(int at, long id) {
        int before = tree.position(id);
        if (before >= 0 && isMade[before] && start[before] < start[at]) {
            deps.add(at, id);
        } else {
            omitted++;
        }
    }
}
