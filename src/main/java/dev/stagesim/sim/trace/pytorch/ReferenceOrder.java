package dev.stagesim.sim.trace.pytorch;

import java.util.Arrays;

/**
 * Dependencies as the reference finds them: on each thread one operator after the other in the order of calls, and device
 * operators after the latest call. Synchronisations get lost: the reference compares start times that it never sets.
 */
final class ReferenceOrder {
    private static final int NONE = -1;

    private final NodeTree tree;
    private final int[] made;
    private final boolean[] isMade;
    private final DepLists deps;

    /**
     * @param made positions of the nodes to order, in the order in which the reference makes them
     */
    ReferenceOrder(NodeTree tree, int[] made, boolean[] isMade) {
        this.tree = tree;
        this.made = made;
        this.isMade = isMade;
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
        return deps;
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
                if (node.interThread() != OpFacts.NONE && node.interThread() != 0) {
                    deps.add(at, node.interThread());
                }
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
}
