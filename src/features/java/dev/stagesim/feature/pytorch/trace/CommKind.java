package dev.stagesim.feature.pytorch.trace;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.NodeType;
import java.util.Locale;
import java.util.Optional;

/** What a device operator's name, and those of its callers, say about the kind of work. */
final class CommKind {
    private static final String SEND_RECEIVE = "ncclDevKernel_SendRecv";

    private CommKind() {}

    /** The type of a node; the reference's rules. */
    static NodeType type(NodeTree tree, int position) {
        PlusNode node = tree.node(position);
        if (node.isMetadata()) {
            return NodeType.METADATA_NODE;
        }
        if (!node.isDevice()) {
            return NodeType.COMP_NODE;
        }
        if (node.name().contains(SEND_RECEIVE)) {
            String caller = caller(tree, position);
            if (caller.contains("send")) {
                return NodeType.COMM_SEND_NODE;
            }
            if (caller.contains("recv")) {
                return NodeType.COMM_RECV_NODE;
            }
        }
        return node.name().contains("ncclKernel") || node.name().contains("ncclDevKernel")
                ? NodeType.COMM_COLL_NODE
                : NodeType.COMP_NODE;
    }

    /** Name of the caller that tells sends from receives: the launcher's, or its caller's where that only takes notes. */
    private static String caller(NodeTree tree, int position) {
        int launcher = tree.parent(position);
        if (launcher < 0) {
            return "";
        }
        if (!tree.node(launcher).name().equals("record_param_comms")) {
            return tree.node(launcher).name();
        }
        int above = tree.parent(launcher);
        return above < 0 ? "" : tree.node(above).name();
    }

    /** The collective that a kernel's name tells, as far as the reference knows them. */
    static Optional<CollectiveType> collective(String kernel) {
        String name = plain(kernel);
        if (name.contains("allreduce")) {
            return Optional.of(CollectiveType.ALL_REDUCE);
        }
        if (name.contains("alltoall")) {
            return Optional.of(CollectiveType.ALL_TO_ALL);
        }
        if (name.contains("allgather")) {
            return Optional.of(CollectiveType.ALL_GATHER);
        }
        if (name.contains("reducescatter")) {
            return Optional.of(CollectiveType.REDUCE_SCATTER);
        }
        if (name.contains("broadcast")) {
            return Optional.of(CollectiveType.BROADCAST);
        }
        return kernel.contains(SEND_RECEIVE) ? Optional.of(CollectiveType.ALL_TO_ALL) : Optional.empty();
    }

    /** The same with the collectives that the reference refuses. */
    static Optional<CollectiveType> anyCollective(String text) {
        Optional<CollectiveType> known = collective(text);
        String name = plain(text);
        if (known.isPresent()) {
            return known;
        }
        if (name.contains("reduce")) {
            return Optional.of(CollectiveType.REDUCE);
        }
        if (name.contains("gather")) {
            return Optional.of(CollectiveType.GATHER);
        }
        if (name.contains("scatter")) {
            return Optional.of(CollectiveType.SCATTER);
        }
        if (name.contains("sendrecv")) {
            return Optional.of(CollectiveType.ALL_TO_ALL);
        }
        return name.contains("barrier") ? Optional.of(CollectiveType.BARRIER) : Optional.empty();
    }

    private static String plain(String name) {
        return name.replace("_", "").replace("-", "").toLowerCase(Locale.ROOT);
    }
}
