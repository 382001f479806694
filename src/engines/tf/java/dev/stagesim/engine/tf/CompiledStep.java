package dev.stagesim.engine.tf;

import dev.stagesim.engine.tf.graph.Library;
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
    private final Map<String, DataType> externalTypes = new HashMap<>();

    private CompiledStep(GraphDef graph, List<Output<?>> external) {
        graph.getNodeList().forEach(node -> nodes.put(node.getName(), node));
        external.forEach(output -> externalTypes.put(Library.tensor(output), output.dataType()));
    }

    /**
     * Returns the graph with an additional operation that calls the step.
     *
     * @param external tensors that become arguments
     * @param fetched results of the step: outputs of {@link #CALL} in this order
     * @param targets operations that the step must run
     */
    static GraphDef of(
            GraphDef graph, Library library, List<Output<?>> external, List<Output<?>> fetched, List<String> targets) {
        return new CompiledStep(graph, external).build(graph, library, fetched, targets);
    }

    /**
     * Nodes that a set of tensors and operations requires.
     *
     * @param body nodes in creation order, so that each node follows its inputs
     * @param arguments external tensors with their types
     */
    record Part(List<NodeDef> body, Map<String, DataType> arguments) {}

    /** Returns the part of a graph between the external tensors and the results. */
    static Part part(GraphDef graph, List<Output<?>> external, List<Output<?>> fetched, List<String> targets) {
        return new CompiledStep(graph, external).part(graph, fetched, targets);
    }

    private Part part(GraphDef graph, List<Output<?>> fetched, List<String> targets) {
        Map<String, DataType> arguments = new LinkedHashMap<>();
        Set<String> stepNodes = stepNodes(fetched, targets, arguments);
        List<NodeDef> body = graph.getNodeList().stream()
                .filter(node -> stepNodes.contains(node.getName()))
                .toList();
        return new Part(body, arguments);
    }

    private GraphDef build(GraphDef graph, Library library, List<Output<?>> fetched, List<String> targets) {
        Part part = part(graph, fetched, targets);
        List<NodeDef> body = part.body;
        Map<String, DataType> arguments = part.arguments;
        Map<String, String> argumentNames = new LinkedHashMap<>();
        arguments.keySet().forEach(tensor -> argumentNames.put(tensor, "a" + argumentNames.size()));
        List<DataType> returned = fetched.stream().map(Output::dataType).toList();
        FunctionDef function = Library.function(
                FUNCTION,
                body,
                argumentNames,
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
    private Set<String> stepNodes(List<Output<?>> fetched, List<String> targets, Map<String, DataType> arguments) {
        Map<String, DataType> found = new java.util.TreeMap<>();
        Set<String> stepNodes = new LinkedHashSet<>();
        Deque<String> pending = new ArrayDeque<>(targets);
        fetched.forEach(output -> pending.add(output.op().name()));
        while (!pending.isEmpty()) {
            String name = pending.remove();
            if (!stepNodes.add(name)) {
                continue;
            }
            for (String input : Objects.requireNonNull(nodes.get(name), name).getInputList()) {
                String plain = input.startsWith("^") ? input.substring(1) : input;
                String tensor = plain.contains(":") ? plain : plain + ":0";
                String source = tensor.substring(0, tensor.lastIndexOf(':'));
                NodeDef from = Objects.requireNonNull(nodes.get(source), source);
                boolean isResource = from.getOp().equals("VarHandleOp");
                if (isResource || externalTypes.containsKey(tensor)) {
                    found.put(tensor, isResource ? DataType.DT_RESOURCE : externalTypes.get(tensor));
                } else {
                    pending.add(from.getName());
                }
            }
        }
        arguments.putAll(found);
        return stepNodes;
    }

    /** Returns the names of the outputs of the call, one per fetched tensor. */
    static List<String> outputs(int count) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(CALL + ":" + i);
        }
        return all;
    }
}
