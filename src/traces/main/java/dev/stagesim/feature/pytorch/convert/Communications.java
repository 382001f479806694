package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.CommFacts;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.feature.pytorch.trace.PlusTrace;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.NodeType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Derives the attributes of a communicating device operator: collective, bytes, group, and for transfers peer rank and
 * tag.
 */
final class Communications {
    private static final String RECORDER = "record_param_comms";

    private final PlusTrace trace;
    private final NodeTree tree;
    private final ConvertRules rules;
    private final Groups groups;
    private final Peers peers;
    private final List<String> remarks = new ArrayList<>();
    private List<EtAttribute> attributes = List.of();
    private int computed;
    private int empty;

    Communications(PlusTrace trace, NodeTree tree, ConvertRules rules) {
        this.trace = trace;
        this.tree = tree;
        this.rules = rules;
        groups = new Groups(tree);
        peers = new Peers(tree, rules.rank(), groups);
    }

    /**
     * Processes the next communication in id order; {@link #attributes} returns the result.
     *
     * @return the type of the node
     * @throws StageException of kind input if the communication cannot be identified and the rules require it
     */
    NodeType add(int position, NodeType type) {
        PlusNode node = tree.node(position);
        attributes = new ArrayList<>(6);
        CommFacts facts = facts(position, node);
        String group = group(position, node, facts);
        if (type == NodeType.COMM_COLL_NODE) {
            Optional<CollectiveType> kind = rules.isReference()
                    ? CommKind.collective(node.name())
                    : CommKind.anyCollective(node.name())
                            .or(() -> facts.collective().flatMap(CommKind::anyCollective));
            if (kind.isEmpty()) {
                return unknown(node, "the kernel name does not match any collective");
            }
            attributes.add(EtAttribute.ofLong(EtNames.COMM_TYPE, kind.get().number()));
        }
        long bytes = bytes(node, type, facts);
        int peer = type == NodeType.COMM_COLL_NODE || rules.isReference() ? 0 : peers.peer(position, type, facts);
        if (peer < 0) {
            return unknown(node, "the trace does not contain the remote rank of the transfer");
        }
        attributes.add(EtAttribute.ofLong(EtNames.COMM_SIZE, bytes));
        if (!group.isEmpty()) {
            attributes.add(EtAttribute.ofText(EtNames.PG_NAME, group));
        }
        if (type != NodeType.COMM_COLL_NODE && !rules.isReference()) {
            boolean isSend = type == NodeType.COMM_SEND_NODE;
            attributes.add(EtAttribute.ofInt(EtNames.COMM_SRC, isSend ? rules.rank() : peer));
            attributes.add(EtAttribute.ofInt(EtNames.COMM_DST, isSend ? peer : rules.rank()));
            attributes.add(EtAttribute.ofInt(EtNames.COMM_TAG, peers.tag(type, peer, group)));
        }
        return type;
    }

    List<EtAttribute> attributes() {
        return attributes;
    }

    List<String> remarks() {
        List<String> all = new ArrayList<>(remarks);
        if (computed > 0) {
            all.add(computed + " communications of unknown kind became computations of the same duration");
        }
        if (empty > 0) {
            all.add(empty + " communications have no size in the trace");
        }
        return all;
    }

    private NodeType unknown(PlusNode node, String why) {
        if (rules.isReference() || !rules.isUnknownComputed()) {
            throw StageException.input(
                    Problem.trace(trace.source(), "node " + node.id() + " '" + node.name() + "': " + why)
                            .hint("workload.unknown_comm=compute makes such nodes computations of the same duration"));
        }
        attributes = List.of();
        computed++;
        return NodeType.COMP_NODE;
    }

    /** Facts recorded by the profiler, the launching operator and its callers. */
    private CommFacts facts(int position, PlusNode node) {
        CommFacts facts = node.device().map(PlusNode.DeviceSide::comm).orElse(CommFacts.NONE);
        int above = position;
        for (int level = 0; level < 3 && above >= 0; level++) {
            facts = facts.or(tree.node(above).op().facts().comm().orElse(CommFacts.NONE));
            above = tree.parent(above);
        }
        return facts;
    }

    private String group(int position, PlusNode node, CommFacts facts) {
        String group = groupOf(node);
        int launcher = tree.parent(position);
        boolean isTransfer = node.name().contains("ncclDevKernel_SendRecv");
        if (isTransfer && launcher >= 0 && tree.node(launcher).name().equals(RECORDER)) {
            String noted = groupOf(tree.node(launcher));
            group = noted.isEmpty() ? group : noted;
        }
        if (rules.isReference()) {
            return group;
        }
        return groups.number(group.isEmpty() ? facts.groupName().orElse("") : group, facts);
    }

    /** Ranks of the groups used by communications, by group number. */
    SortedMap<Integer, List<Integer>> groups() {
        return groups.used();
    }

    /** Group of a node; attributes take precedence over the node's member. */
    private static String groupOf(PlusNode node) {
        return node.op().facts().comm().flatMap(CommFacts::groupName).orElse(node.group());
    }

    private long bytes(PlusNode node, NodeType type, CommFacts facts) {
        long bytes = CommBytes.ofInputs(node.op().text());
        if (bytes > 0 || rules.isReference()) {
            return bytes;
        }
        long elements =
                type == NodeType.COMM_RECV_NODE && facts.outElements() > 0 ? facts.outElements() : facts.inElements();
        long noted =
                Math.max(0, elements) * facts.dtype().map(CommBytes::ofType).orElse(0);
        empty += noted == 0 ? 1 : 0;
        return noted;
    }
}
