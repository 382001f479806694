package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.feature.pytorch.trace.PlusTrace;
import dev.stagesim.feature.pytorch.trace.Schemas;
import dev.stagesim.feature.pytorch.trace.TraceHeader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.core.StableOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * Converts a linked trace into a Chakra execution trace.
 *
 * <p>Calls become dependencies: on each thread, an operator depends on the operator called before it, and a device
 * operator on its launch. Time is linear in the number of nodes and dependencies.
 */
public final class Converter {
    private final PlusTrace trace;
    private final ConvertRules rules;
    private final NodeTree tree;
    private final List<String> remarks = new ArrayList<>();
    /** Positions of the converted nodes, in the order of the reference. */
    private int[] made;

    private final boolean[] isMade;
    private final long[] ctrlDep;

    private Converter(PlusTrace trace, ConvertRules rules) {
        this.trace = trace;
        this.rules = rules;
        tree = new NodeTree(trace);
        made = new int[tree.size()];
        isMade = new boolean[tree.size()];
        ctrlDep = new long[tree.size()];
        Arrays.fill(ctrlDep, OpFacts.NONE);
    }

    /**
     * Converts a trace.
     *
     * @throws StageException of kind input if the trace cannot be converted
     */
    public static ConvertedTrace convert(PlusTrace trace, ConvertRules rules) {
        return new Converter(trace, rules).run();
    }

    private ConvertedTrace run() {
        Schemas.check(trace, rules.isReference(), remarks);
        choose();
        DepLists deps = rules.isReference() ? new ReferenceOrder(tree, made, isMade).dataDeps() : order();
        boolean[] isKept = kept(deps);
        NodeMaker maker = new NodeMaker(trace, tree, rules, deps, isKept, ctrlDep);
        maker.prepare(made);
        remarks.addAll(maker.remarks());
        if (rules.isReference()) {
            Cycles.check(trace.source(), tree, isKept, deps);
        }
        int[] positions = byId(isKept);
        Iterable<EtNode> nodes = () -> new Iterator<>() {
            private int at;

            @Override
            public boolean hasNext() {
                return at < positions.length;
            }

            @Override
            public EtNode next() {
                return maker.node(positions[at++]);
            }
        };
        Iterable<String> simulation = () -> new IssueSimulation(tree, maker, deps, kept(made, isKept))
                .lines()
                .iterator();
        return new ConvertedTrace(metadata(), nodes, positions.length, maker.groups(), remarks, simulation);
    }

    /** Selects the host operators and the device operators they launched, each after its launcher. */
    private void choose() {
        int count = 0;
        for (int i = 0; i < tree.size(); i++) {
            PlusNode node = tree.node(i);
            if (node.isDevice() && !node.isMetadata()) {
                continue;
            }
            count = make(i, count);
            for (int child : tree.children(i)) {
                if (tree.node(child).isDevice()) {
                    count = make(child, count);
                }
            }
        }
        made = Arrays.copyOf(made, count);
    }

    private DepLists order() {
        OwnOrder order = new OwnOrder(tree, made, isMade);
        DepLists deps = order.dataDeps();
        callers(order);
        remarks.addAll(order.remarks());
        return deps;
    }

    private int make(int position, int count) {
        int parent = tree.parent(position);
        // The reference only recognises callers that are earlier in the file.
        if (parent >= 0 && isMade[parent]) {
            ctrlDep[position] = tree.node(parent).id();
        }
        if (isMade[position]) {
            return count;
        }
        isMade[position] = true;
        made[count] = position;
        return count + 1;
    }

    /** Adds callers that are later in the file; missing callers are dropped. */
    private void callers(OwnOrder order) {
        int lost = 0;
        for (int position : made) {
            int parent = tree.parent(position);
            boolean isThere = parent >= 0 && isMade[parent] && order.isBefore(parent, position);
            ctrlDep[position] = isThere ? tree.node(parent).id() : OpFacts.NONE;
            lost += tree.node(position).isDevice() && !isThere ? 1 : 0;
        }
        int missing = 0;
        for (int i = 0; i < tree.size(); i++) {
            missing += isMade[i] ? 0 : 1;
        }
        if (missing + lost > 0) {
            remarks.add(missing + lost + " device operators have no launching node and are left out");
        }
    }

    /**
     * Selects the nodes to keep. The reference drops nodes without any dependency; this converter drops only those that
     * also have no callers and callees.
     */
    private boolean[] kept(DepLists deps) {
        boolean[] isNeeded = new boolean[tree.size()];
        for (int position : made) {
            for (long id : deps.of(position)) {
                int needed = tree.position(id);
                if (needed >= 0) {
                    isNeeded[needed] = true;
                }
            }
            int caller = ctrlDep[position] == OpFacts.NONE ? -1 : tree.position(ctrlDep[position]);
            if (!rules.isReference() && caller >= 0) {
                isNeeded[caller] = true;
                isNeeded[position] = true;
            }
        }
        boolean[] isKept = new boolean[tree.size()];
        for (int position : made) {
            isKept[position] = isNeeded[position] || !deps.isEmpty(position);
        }
        return isKept;
    }

    private static int[] kept(int[] positions, boolean[] isKept) {
        return Arrays.stream(positions).filter(position -> isKept[position]).toArray();
    }

    private int[] byId(boolean[] isKept) {
        int[] positions = kept(made, isKept);
        StableOrder.sort(
                positions,
                (a, b) -> Long.compare(tree.node(a).id(), tree.node(b).id()));
        return positions;
    }

    private EtMetadata metadata() {
        TraceHeader header = trace.header();
        if (rules.isReference()) {
            if (!header.missing().isEmpty()) {
                throw StageException.input(Problem.trace(
                        trace.source(), "the trace does not contain " + String.join(", ", header.missing())));
            }
            if (header.pid() < 0 || header.startTs() < 0 || header.finishTs() < 0) {
                throw StageException.input(Problem.trace(trace.source(), "pid, start_ts or finish_ts is out of range"));
            }
        }
        return new EtMetadata(
                "",
                List.of(
                        EtAttribute.ofText("schema", header.schema()),
                        EtAttribute.ofUnsigned("pid", header.pid()),
                        EtAttribute.ofText("time", header.time()),
                        EtAttribute.ofUnsigned("start_ts", header.startTs()),
                        EtAttribute.ofUnsigned("finish_ts", header.finishTs())));
    }

    /**
     * Dependencies as found by the reference: sequential operators on each thread in call order, and device operators
     * after the latest call. Synchronisations are lost because the reference compares start times that it never sets.
     */
    private static final class ReferenceOrder {
        private static final int NONE = -1;

        private final NodeTree tree;
        private final int[] made;
        private final boolean[] isMade;
        private final DepLists deps;

        /**
         * @param made positions of the nodes to order, in the order of the reference
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

        /** Visits all nodes that a thread called, callers first. */
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
}
