package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;

/** Detects dependencies that no order can satisfy: cycles, and dependencies on missing nodes. */
final class Cycles {
    private static final int SHOWN = 6;

    private Cycles() {}

    /**
     * Fails unless the kept nodes have a topological order. Linear in the number of dependencies.
     *
     * @param deps data dependencies
     */
    static void check(String source, NodeTree tree, boolean[] isKept, DepLists deps) {
        byte[] state = new byte[tree.size()];
        int[] path = new int[tree.size() + 1];
        int[] progress = new int[tree.size() + 1];
        long[][] lists = new long[tree.size() + 1][];
        for (int root = 0; root < tree.size(); root++) {
            if (!isKept[root] || state[root] != 0) {
                continue;
            }
            int depth = 0;
            path[0] = root;
            progress[0] = 0;
            lists[0] = deps.of(root);
            state[root] = 1;
            while (depth >= 0) {
                if (progress[depth] == lists[depth].length) {
                    state[path[depth]] = 2;
                    depth--;
                    continue;
                }
                int next = position(source, tree, isKept, path[depth], lists[depth][progress[depth]++]);
                if (state[next] == 1) {
                    throw around(source, tree, path, depth, next);
                }
                if (state[next] == 0) {
                    state[next] = 1;
                    depth++;
                    path[depth] = next;
                    progress[depth] = 0;
                    lists[depth] = deps.of(next);
                }
            }
        }
    }

    private static int position(String source, NodeTree tree, boolean[] isKept, int of, long id) {
        int position = tree.position(id);
        if (position < 0 || !isKept[position]) {
            throw StageException.input(Problem.trace(
                    source, "node " + tree.node(of).id() + " depends on node " + id + ", which is missing"));
        }
        return position;
    }

    private static StageException around(String source, NodeTree tree, int[] path, int depth, int next) {
        int from = depth;
        while (path[from] != next) {
            from--;
        }
        StringBuilder names = new StringBuilder();
        for (int i = from; i <= depth && i < from + SHOWN; i++) {
            names.append(tree.node(path[i]).id())
                    .append(" '")
                    .append(tree.node(path[i]).name())
                    .append("' after ");
        }
        names.append(depth - from >= SHOWN ? "... after " : "")
                .append(tree.node(next).id());
        return StageException.input(Problem.trace(source, "the dependencies have a cycle: " + names));
    }
}
