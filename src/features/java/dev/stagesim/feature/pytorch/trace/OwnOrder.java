package dev.stagesim.feature.pytorch.trace;

import dev.stagesim.sim.core.StableOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Dependencies from the order of calls, of streams, and from synchronisations.
 *
 * <p>Each thread does one operator after the other, each stream as well; a device operator comes after its launch, and
 * operators that waited come after what they waited for. Nodes have a rank: the later of their start and their caller's
 * rank, then their place among the calls. Every dependency goes from a lower rank to a higher one, so nothing goes round,
 * whatever the trace says.
 */
final class OwnOrder {
    private static final int NONE = -1;

    private final NodeTree tree;
    private final int[] made;
    private final boolean[] isMade;
    private final DepLists deps;
    /** Rank, first part: start, or the caller's where that is later or the only one known. */
    private final double[] start;
    /** Rank, second part: place in a walk through all calls, callers first. */
    private final int[] place;

    private final int[] root;
    private int places;
    private int backward;

    /** @param made positions of the nodes to order */
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
                // Callers that call each other.
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
        return backward == 0
                ? List.of()
                : List.of(backward + " dependencies on operators that are not there or start later are left out");
    }

    /** Whether a node comes before another one in the walk through all calls. */
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
                    // Taken: a node is in the walk once.
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

    /** A thread does one thing after the other, and launches what it launches. */
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

    /** A stream does one thing after the other. */
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

    /** Adds a dependency on a node that is there and has started before. */
    private void addEarlier(int at, long id) {
        int before = tree.position(id);
        if (before >= 0 && isMade[before] && start[before] < start[at]) {
            deps.add(at, id);
        } else {
            backward++;
        }
    }
}
