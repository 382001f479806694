package dev.stagesim.sim.trace.pytorch;

import dev.stagesim.sim.core.StableOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What comes after what: dependencies from the order of calls, of streams, and from synchronisations. */
final class Order {
    private static final int NONE = -1;

    private final NodeTree tree;
    private final int[] made;
    private final boolean[] isMade;
    private final boolean isReference;
    private final DepLists deps;
    private int backward;

    /**
     * @param made positions of the nodes to order, in the order in which the reference makes them
     */
    Order(NodeTree tree, int[] made, boolean[] isMade, boolean isReference) {
        this.tree = tree;
        this.made = made;
        this.isMade = isMade;
        this.isReference = isReference;
        deps = new DepLists(tree.size());
    }

    DepLists dataDeps() {
        int[] visited = new int[tree.size()];
        Arrays.fill(visited, NONE);
        for (int root : made) {
            if (tree.isRoot(root)) {
                walk(root, visited);
            }
        }
        if (!isReference) {
            streams();
            for (int position : made) {
                synchronisations(position);
            }
        }
        return deps;
    }

    List<String> remarks() {
        return backward == 0
                ? List.of()
                : List.of(backward + " dependencies on operators that start later are left out");
    }

    /** Walks through all that a thread called, callers first. */
    private void walk(int root, int[] visited) {
        int[] stack = new int[64];
        int depth = 0;
        stack[depth++] = root;
        int lastHost = NONE;
        int lastAny = NONE;
        while (depth > 0) {
            int at = stack[--depth];
            if (visited[at] == root) {
                continue;
            }
            visited[at] = root;
            PlusNode node = tree.node(at);
            if (node.isDevice() && !node.isMetadata()) {
                addLast(at, lastAny);
                lastAny = lastHost;
            } else {
                interThread(at, node);
                addLast(at, lastHost);
                lastHost = at;
                lastAny = at;
            }
            int[] children = tree.childrenDown(at);
            if (depth + children.length > stack.length) {
                stack = Arrays.copyOf(stack, Math.max(stack.length * 2, depth + children.length));
            }
            for (int child : children) {
                if (isMade[child] && visited[child] != root) {
                    stack[depth++] = child;
                }
            }
        }
    }

    private void addLast(int at, int before) {
        if (before != NONE) {
            deps.add(at, tree.node(before).id());
        }
    }

    private void interThread(int at, PlusNode node) {
        if (node.interThread() == OpFacts.NONE || node.interThread() == 0) {
            return;
        }
        if (isReference) {
            deps.add(at, node.interThread());
        } else {
            addEarlier(at, node.interThread());
        }
    }

    /** Adds a dependency on a node that is there and starts no later. */
    private void addEarlier(int at, long id) {
        int before = tree.position(id);
        if (before >= 0 && isMade[before] && before != at && start(before) <= start(at)) {
            deps.add(at, id);
        } else {
            backward++;
        }
    }

    private double start(int position) {
        return tree.node(position).times().map(PlusNode.Times::start).orElse(0.0);
    }

    /** A stream does one thing after the other. */
    private void streams() {
        List<Integer> list = new ArrayList<>();
        for (int position : made) {
            if (tree.node(position).device().isPresent()
                    && tree.node(position).device().get().stream() != OpFacts.NONE
                    && tree.node(position).times().isPresent()) {
                list.add(position);
            }
        }
        int[] ops = list.stream().mapToInt(Integer::intValue).toArray();
        StableOrder.sort(ops, (a, b) -> {
            int byStream = compareStreams(a, b);
            return byStream != 0 ? byStream : Double.compare(start(a), start(b));
        });
        for (int i = 1; i < ops.length; i++) {
            if (compareStreams(ops[i - 1], ops[i]) == 0) {
                deps.add(ops[i], tree.node(ops[i - 1]).id());
            }
        }
    }

    private int compareStreams(int a, int b) {
        PlusNode.DeviceSide first = tree.node(a).device().orElseThrow();
        PlusNode.DeviceSide second = tree.node(b).device().orElseThrow();
        int byDevice = Long.compare(first.ordinal(), second.ordinal());
        return byDevice != 0 ? byDevice : Long.compare(first.stream(), second.stream());
    }

    private void synchronisations(int position) {
        for (long id : tree.node(position).after()) {
            addEarlier(position, id);
        }
    }
}
