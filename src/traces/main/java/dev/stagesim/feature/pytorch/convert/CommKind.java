package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.NodeType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Derives the node type of a device operator from its name and the names of its callers. */
final class CommKind {
    private static final String SEND_RECEIVE = "ncclDevKernel_SendRecv";

    /** Collectives of the reference, in the order of its tests. */
    private static final List<Map.Entry<String, CollectiveType>> REFERENCE = List.of(
            Map.entry("allreduce", CollectiveType.ALL_REDUCE),
            Map.entry("alltoall", CollectiveType.ALL_TO_ALL),
            Map.entry("allgather", CollectiveType.ALL_GATHER),
            Map.entry("reducescatter", CollectiveType.REDUCE_SCATTER),
            Map.entry("broadcast", CollectiveType.BROADCAST));

    /** Collectives that the reference rejects. */
    private static final List<Map.Entry<String, CollectiveType>> OTHER = List.of(
            Map.entry("reduce", CollectiveType.REDUCE),
            Map.entry("gather", CollectiveType.GATHER),
            Map.entry("scatter", CollectiveType.SCATTER),
            Map.entry("sendrecv", CollectiveType.ALL_TO_ALL),
            Map.entry("barrier", CollectiveType.BARRIER));

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
        Optional<CollectiveType> named = first(kernel, REFERENCE);
        return named.isEmpty() && kernel.contains(SEND_RECEIVE) ? Optional.of(CollectiveType.ALL_TO_ALL) : named;
    }

    /** Returns the collective in a text, including collectives that the reference rejects. */
    static Optional<CollectiveType> anyCollective(String text) {
        return collective(text).or(() -> first(text, OTHER));
    }

    /** Returns the collective of the first entry that a name contains. */
    private static Optional<CollectiveType> first(String name, List<Map.Entry<String, CollectiveType>> collectives) {
        String text = plain(name);
        return collectives.stream()
                .filter(collective -> text.contains(collective.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private static String plain(String name) {
        return name.replace("_", "").replace("-", "").toLowerCase(Locale.ROOT);
    }
}
