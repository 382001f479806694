package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.NodeType;
import java.util.Locale;
import java.util.Optional;

/** Derives the node type of a device operator from its name and the names of its callers. */
final class CommKind {
    private static final String SEND_RECEIVE = "ncclDevKernel_SendRecv";

    private CommKind() {}

    /** Returns the type of a node by the rules of the reference. */
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

    /**
     * Name of the caller that distinguishes sends from receives: the launcher, or the launcher's caller if the launcher
     * only records the call.
     */
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

    /** Returns the collective in a kernel's name, limited to the collectives of the reference. */
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

    /** Returns the collective in a text, including collectives that the reference rejects. */
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
