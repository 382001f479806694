package dev.stagesim.engine.tf;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.tensorflow.Output;
import org.tensorflow.proto.AttrValue;
import org.tensorflow.proto.DataType;
import org.tensorflow.proto.FunctionDef;
import org.tensorflow.proto.GraphDef;
import org.tensorflow.proto.NodeDef;

/**
 * A training step as one function that XLA must compile: forward pass, gradients and weight updates. Its arguments are
 * the external tensors: the batch, fed values and the resources of the weights.
 */
final class CompiledStep {
    /** Name of the operation that calls the function. */
    static final String CALL = "step/compiled";

    private static final String FUNCTION = "train_step";
    private static final AttrValue MUST_COMPILE =
            AttrValue.newBuilder().setB(true).build();

    private final Map<String, NodeDef> nodes = new HashMap<>();
    private final Map<String, DataType> cuts = new HashMap<>();

    private CompiledStep(GraphDef graph, List<Output<?>> outside) {
        graph.getNodeList().forEach(node -> nodes.put(node.getName(), node));
        outside.forEach(one -> cuts.put(Library.tensor(one), one.dataType()));
    }

    /**
     * Returns the graph with an additional operation that calls the step.
     *
     * @param outside tensors that become arguments
     * @param fetched results of the step: outputs of {@link #CALL} in this order
     * @param targets operations that the step must run
     */
    static GraphDef of(
            GraphDef graph, Library library, List<Output<?>> outside, List<Output<?>> fetched, List<String> targets) {
        return new CompiledStep(graph, outside).build(graph, library, fetched, targets);
    }

    /**
     * Nodes that a set of tensors and operations requires.
     *
     * @param body nodes in creation order, so that each node follows its inputs
     * @param arguments external tensors with their types
     */
    record Part(List<NodeDef> body, Map<String, DataType> arguments) {}

    /** Returns the part of a graph between the external tensors and the results. */
    static Part part(GraphDef graph, List<Output<?>> outside, List<Output<?>> fetched, List<String> targets) {
        return new CompiledStep(graph, outside).part(graph, fetched, targets);
    }

    private Part part(GraphDef graph, List<Output<?>> fetched, List<String> targets) {
        Map<String, DataType> arguments = new LinkedHashMap<>();
        Set<String> inside = inside(fetched, targets, arguments);
        List<NodeDef> body = graph.getNodeList().stream()
                .filter(node -> inside.contains(node.getName()))
                .toList();
        return new Part(body, arguments);
    }

    private GraphDef build(GraphDef graph, Library library, List<Output<?>> fetched, List<String> targets) {
        Part part = part(graph, fetched, targets);
        List<NodeDef> body = part.body;
        Map<String, DataType> arguments = part.arguments;
        Map<String, String> cut = new LinkedHashMap<>();
        arguments.keySet().forEach(tensor -> cut.put(tensor, "a" + cut.size()));
        List<DataType> returned = fetched.stream().map(Output::dataType).toList();
        FunctionDef function = Library.function(
                FUNCTION,
                body,
                cut,
                List.copyOf(arguments.values()),
                fetched.stream().map(Library::tensor).toList(),
                returned,
                targets);
        library.put(
                FUNCTION,
                function.toBuilder().putAttr("_XlaMustCompile", MUST_COMPILE).build());
        NodeDef.Builder call = NodeDef.newBuilder()
                .setName(CALL)
                .setOp("StatefulPartitionedCall")
                .putAttr("Tin", Library.types(List.copyOf(arguments.values())))
                .putAttr("Tout", Library.types(returned))
                .putAttr("f", Library.reference(FUNCTION))
                .putAttr("_XlaMustCompile", MUST_COMPILE);
        arguments.keySet().forEach(call::addInput);
        return graph.toBuilder().addNode(call).build();
    }

    /** Returns the nodes of the step. External inputs become arguments, sorted by name. */
    private Set<String> inside(List<Output<?>> fetched, List<String> targets, Map<String, DataType> arguments) {
        Map<String, DataType> found = new java.util.TreeMap<>();
        Set<String> inside = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>(targets);
        fetched.forEach(one -> open.add(one.op().name()));
        while (!open.isEmpty()) {
            String name = open.remove();
            if (!inside.add(name)) {
                continue;
            }
            for (String input : Objects.requireNonNull(nodes.get(name), name).getInputList()) {
                String plain = input.startsWith("^") ? input.substring(1) : input;
                String tensor = plain.contains(":") ? plain : plain + ":0";
                String source = tensor.substring(0, tensor.lastIndexOf(':'));
                NodeDef from = Objects.requireNonNull(nodes.get(source), source);
                boolean isResource = from.getOp().equals("VarHandleOp");
                if (isResource || cuts.containsKey(tensor)) {
                    found.put(tensor, isResource ? DataType.DT_RESOURCE : cuts.get(tensor));
                } else {
                    open.add(from.getName());
                }
            }
        }
        arguments.putAll(found);
        return inside;
    }

    /** Names of the call's outputs for the fetched tensors. */
    static List<String> outputs(int count) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(CALL + ":" + i);
        }
        return all;
    }
}
