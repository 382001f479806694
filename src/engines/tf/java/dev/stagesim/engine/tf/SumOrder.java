package dev.stagesim.engine.tf;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.tensorflow.proto.GraphDef;
import org.tensorflow.proto.NodeDef;

/**
 * Sorts the terms of sums into an order that is the same in every process.
 *
 * <p>The framework's gradient builder visits nodes in the order of their addresses. So sums of three or more terms have
 * a different order, and a different last digit, in every process. Terms are sorted by their computation: layers have
 * unique names, and a gradient node is identified by its type and inputs.
 */
final class SumOrder {
    private static final String GRADIENTS = "backward/";

    private final Map<String, NodeDef> nodes = new HashMap<>();
    private final Map<String, Long> known = new HashMap<>();

    private SumOrder(GraphDef graph) {
        graph.getNodeList().forEach(node -> nodes.put(node.getName(), node));
    }

    /** Returns the graph with sorted sums. */
    static GraphDef of(GraphDef def) {
        SumOrder order = new SumOrder(def);
        GraphDef.Builder sorted = def.toBuilder().clearNode();
        for (NodeDef node : def.getNodeList()) {
            sorted.addNode(node.getOp().equals("AddN") ? order.sorted(node) : node);
        }
        return sorted.build();
    }

    private NodeDef sorted(NodeDef sum) {
        List<String> terms = new ArrayList<>(sum.getInputList());
        List<String> controls = new ArrayList<>(terms);
        controls.removeIf(term -> !term.startsWith("^"));
        terms.removeAll(controls);
        terms.sort(Comparator.comparing(this::inputHash));
        terms.addAll(controls);
        return sum.toBuilder().clearInput().addAllInput(terms).build();
    }

    private long inputHash(String text) {
        String name = text.startsWith("^") ? text.substring(1) : text;
        int colon = name.lastIndexOf(':');
        long port = colon < 0 ? 0 : Long.parseLong(name.substring(colon + 1));
        return 31 * hash(colon < 0 ? name : name.substring(0, colon)) + port;
    }

    /** Returns a hash of a node's computation. */
    private long hash(String name) {
        Long before = known.get(name);
        if (before != null) {
            return before;
        }
        NodeDef node = Objects.requireNonNull(nodes.get(name), name);
        long hash = text(node.getOp());
        if (name.startsWith(GRADIENTS)) {
            for (String input : node.getInputList()) {
                if (!input.startsWith("^")) {
                    hash = hash * 1_000_003 + inputHash(input);
                }
            }
            for (Map.Entry<String, org.tensorflow.proto.AttrValue> attribute :
                    new TreeMap<>(node.getAttrMap()).entrySet()) {
                hash = hash * 1_000_003 + text(attribute.getKey());
                hash = hash * 31
                        + java.util.Arrays.hashCode(attribute.getValue().toByteArray());
            }
        } else {
            hash = hash * 31 + text(name);
        }
        known.put(name, hash);
        return hash;
    }

    private static long text(String text) {
        return text.hashCode();
    }
}
