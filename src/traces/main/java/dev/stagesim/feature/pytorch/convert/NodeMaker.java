package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.feature.pytorch.trace.OpText;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.feature.pytorch.trace.PlusTrace;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtIo;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Creates the nodes of an execution trace, one at a time. */
final class NodeMaker {
    private static final byte[] NOTHING = {};
    private static final long[] NO_DEPS = {};

    private final PlusTrace trace;
    private final NodeTree tree;
    private final ConvertRules rules;
    private final DepLists deps;
    private final boolean[] isKept;
    private final long[] ctrlDep;
    private final NodeType[] types;
    private final @Nullable List<EtAttribute>[] comms;
    private final PythonRepr python = new PythonRepr();
    private final List<String> remarks = new ArrayList<>();
    private SortedMap<Integer, List<Integer>> groups = new TreeMap<>();
    private double origin = Double.POSITIVE_INFINITY;

    /**
     * @param deps data dependencies
     * @param ctrlDep caller of each node, if any
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of lists
    NodeMaker(PlusTrace trace, NodeTree tree, ConvertRules rules, DepLists deps, boolean[] isKept, long[] ctrlDep) {
        this.trace = trace;
        this.tree = tree;
        this.rules = rules;
        this.deps = deps;
        this.isKept = isKept;
        this.ctrlDep = ctrlDep;
        types = new NodeType[tree.size()];
        comms = new List[tree.size()];
    }

    /**
     * Determines types and communications, and validates durations.
     *
     * @throws StageException of kind input if one of them cannot be determined
     */
    void prepare(int[] made) {
        Communications found = new Communications(trace, tree, rules);
        int negative = 0;
        for (int position : made) {
            PlusNode node = tree.node(position);
            if (node.times().isPresent()) {
                negative += negative(node) ? 1 : 0;
                origin = Math.min(origin, node.times().get().start());
            }
            if (rules.isReference()) {
                missing(node);
            }
            types[position] = type(position);
            if (types[position].isCommunication()) {
                types[position] = found.add(position, types[position]);
                comms[position] = found.attributes();
            }
        }
        if (negative > 0) {
            remarks.add(negative + " negative durations count as 0");
        }
        remarks.addAll(found.remarks());
        groups = found.groups();
    }

    /** Simulators cannot run process-group metadata nodes, so they become host work. */
    private NodeType type(int position) {
        NodeType type = CommKind.type(tree, position);
        return type == NodeType.METADATA_NODE && !rules.isReference() ? NodeType.COMP_NODE : type;
    }

    List<String> remarks() {
        return remarks;
    }

    /** Ranks of the groups used by communications, by number. */
    SortedMap<Integer, List<Integer>> groups() {
        return groups;
    }

    private boolean negative(PlusNode node) {
        double exclusive = node.times().map(PlusNode.Times::exclusive).orElse(0.0);
        if (rules.isReference() && exclusive <= -1) {
            throw StageException.input(Problem.trace(
                    trace.source(), "the duration of node " + node.id() + ", " + exclusive + ", is out of range"));
        }
        return exclusive < 0;
    }

    private void missing(PlusNode node) {
        List<String> names = node.op().facts().missing();
        if (!names.isEmpty()) {
            throw StageException.input(Problem.trace(
                    trace.source(), "node " + node.id() + " lacks the attributes " + String.join(", ", names)));
        }
    }

    /** Duration in whole microseconds. */
    long duration(int position) {
        PlusNode node = tree.node(position);
        double exclusive =
                Math.max(0, node.times().map(PlusNode.Times::exclusive).orElse(0.0));
        if (!rules.isReference()) {
            return Math.round(exclusive);
        }
        // The reference treats this node as most of the run.
        return node.name().contains("Optimizer.step") ? 0 : (long) exclusive;
    }

    /** Start in whole microseconds after the first start; the reference omits it. */
    private long start(PlusNode node) {
        boolean isKnown = !rules.isReference() && node.times().isPresent();
        double start = isKnown ? node.times().get().start() - origin : 0;
        return start > 0 ? Math.round(start) : 0;
    }

    EtNode node(int position) {
        PlusNode node = tree.node(position);
        OpText text = node.op().text();
        List<EtAttribute> attributes = attributes(node);
        List<EtAttribute> comm = comms[position];
        if (comm != null) {
            attributes.addAll(comm);
        }
        return new EtNode(
                node.id(),
                node.name(),
                types[position].number(),
                ctrlDeps(position),
                deps.of(position),
                start(node),
                duration(position),
                Optional.of(io(text, OpText.Part.INPUT_VALUES, OpText.Part.INPUT_SHAPES, OpText.Part.INPUT_TYPES)),
                Optional.of(io(text, OpText.Part.OUTPUT_VALUES, OpText.Part.OUTPUT_SHAPES, OpText.Part.OUTPUT_TYPES)),
                attributes,
                NOTHING);
    }

    private long[] ctrlDeps(int position) {
        long caller = ctrlDep[position];
        if (caller == OpFacts.NONE) {
            return NO_DEPS;
        }
        int at = tree.position(caller);
        // The reference keeps references to dropped callers.
        return rules.isReference() || (at >= 0 && isKept[at]) ? new long[] {caller} : NO_DEPS;
    }

    private EtIo io(OpText text, OpText.Part values, OpText.Part shapes, OpText.Part types) {
        return new EtIo(part(text, values), part(text, shapes), part(text, types));
    }

    private String part(OpText text, OpText.Part part) {
        return text.has(part) ? python.of(text.json(), text.from(part), text.to(part)) : "";
    }

    private static List<EtAttribute> attributes(PlusNode node) {
        OpFacts facts = node.op().facts();
        List<EtAttribute> list = new ArrayList<>(14);
        number(list, "rf_id", facts.rfId());
        number(list, "fw_parent", facts.fwParent());
        number(list, "seq_id", facts.seqId());
        number(list, "scope", facts.scope());
        number(list, "tid", facts.tid());
        number(list, "fw_tid", facts.fwTid());
        facts.opSchema().ifPresent(schema -> list.add(EtAttribute.ofText("op_schema", schema)));
        list.add(EtAttribute.ofBool(EtNames.IS_CPU_OP, !node.isDevice()));
        number(list, "stream", node.device().map(PlusNode.DeviceSide::stream).orElse(0L));
        return list;
    }

    private static void number(List<EtAttribute> list, String name, long value) {
        if (value != OpFacts.NONE) {
            list.add(EtAttribute.ofLong(name, value));
        }
    }
}
