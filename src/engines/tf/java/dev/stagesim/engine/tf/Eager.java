package dev.stagesim.engine.tf;

import dev.stagesim.engine.tf.graph.Library;
import dev.stagesim.engine.tf.graph.Ops;
import dev.stagesim.engine.tf.graph.WeightVariables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.tensorflow.EagerSession;
import org.tensorflow.Graph;
import org.tensorflow.Operand;
import org.tensorflow.Operation;
import org.tensorflow.OperationBuilder;
import org.tensorflow.Output;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.Tensor;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.AttrValue;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.DataType;
import org.tensorflow.proto.GraphDef;
import org.tensorflow.proto.NodeDef;
import org.tensorflow.proto.OpDef;
import org.tensorflow.proto.TensorShapeProto;
import org.tensorflow.types.TBool;

/**
 * Runs a step operation by operation, like programs in eager mode. The Java binding supports gradients only in graphs,
 * so this class executes the graph's operations in creation order and evaluates branches on the host.
 */
final class Eager implements AutoCloseable {
    /** Receives each executed operation. */
    interface Listener {
        void ran(NodeDef node, long beginNs, long endNs);
    }

    private static final String IF = "If";
    private static final String FUNCTION = "function/";

    private final EagerSession session;
    private final Library library;
    private final Map<String, Operand<?>> kept = new HashMap<>();
    private final Map<String, List<NodeDef>> functions = new HashMap<>();

    Eager(ConfigProto config, Library library, WeightVariables weights, List<CompiledStep.Part> parts) {
        this.library = library;
        session = EagerSession.options().config(config).build();
        for (WeightVariables.Variable variable : weights.all()) {
            Operand<?> handle = session.opBuilder(
                            "VarHandleOp", variable.handle.op().name(), session.baseScope())
                    .setAttr("dtype", DataType.DT_FLOAT)
                    .setAttr("shape", Shape.of(variable.shape))
                    .setAttr("shared_name", variable.handle.op().name())
                    .build()
                    .output(0);
            kept.put(Library.tensor(variable.handle), handle);
            try (Tensor first = Ops.tensor(variable.first, variable.shape)) {
                session.opBuilder("AssignVariableOp", "assign", session.baseScope())
                        .addInput(handle.asOutput())
                        .addInput(constant(first).asOutput())
                        .build();
            }
        }
        constants(parts);
    }

    @Override
    public void close() {
        session.close();
    }

    /** Creates an operation of this session from a value. */
    private Operand<?> constant(Tensor value) {
        return session.opBuilder("Const", "const", session.baseScope())
                .setAttr("dtype", value.dataType())
                .setAttr("value", value)
                .build()
                .output(0);
    }

    /** Evaluates and caches the constants of the graph and of its branches. */
    private void constants(List<CompiledStep.Part> parts) {
        GraphDef.Builder all = GraphDef.newBuilder();
        Map<String, NodeDef> found = new LinkedHashMap<>();
        for (CompiledStep.Part part : parts) {
            for (NodeDef node : part.body()) {
                found.put(node.getName(), node);
                for (String branch : List.of("then_branch", "else_branch")) {
                    if (node.getOp().equals(IF)) {
                        String name = node.getAttrOrThrow(branch).getFunc().getName();
                        functions.put(name, library.body(name));
                    }
                }
            }
        }
        functions.forEach(
                (name, body) -> body.forEach(node -> found.put(FUNCTION + name + "/" + node.getName(), node)));
        List<String> names = new ArrayList<>();
        found.forEach((name, node) -> {
            if (node.getOp().equals("Const")) {
                all.addNode(node.toBuilder().setName(name).clearInput());
                names.add(name);
            }
        });
        try (Graph graph = new Graph()) {
            graph.importGraphDef(all.build());
            try (Session values = new Session(graph)) {
                Session.Runner runner = values.runner();
                names.forEach(runner::fetch);
                try (Result result = runner.run()) {
                    for (int i = 0; i < names.size(); i++) {
                        kept.put(names.get(i) + ":0", constant(result.get(i)));
                    }
                }
            }
        }
    }

    /** Runs a part; returns the fetched tensors. */
    List<Tensor> run(CompiledStep.Part part, Map<String, Tensor> fed, List<Output<?>> fetched, Listener listener) {
        Map<String, Operand<?>> values = new HashMap<>(kept);
        fed.forEach((name, tensor) -> values.put(name, constant(tensor)));
        run(part.body(), values, listener);
        List<Tensor> results = new ArrayList<>();
        fetched.forEach(one -> results.add(
                Objects.requireNonNull(values.get(Library.tensor(one))).asTensor()));
        return results;
    }

    private void run(List<NodeDef> nodes, Map<String, Operand<?>> values, Listener listener) {
        for (NodeDef node : nodes) {
            if (node.getOp().equals("Const") || node.getOp().equals("NoOp")) {
                continue;
            }
            if (node.getOp().equals(IF)) {
                branch(node, values, listener);
                continue;
            }
            long begin = System.nanoTime();
            Operation made = build(node, values);
            listener.ran(node, begin, System.nanoTime());
            for (int i = 0; i < made.numOutputs(); i++) {
                values.put(node.getName() + ":" + i, made.output(i));
            }
        }
    }

    private static Operand<?> value(String input, Map<String, Operand<?>> values) {
        String name = input.contains(":") ? input : input + ":0";
        Operand<?> found = values.get(name);
        if (found == null) {
            throw new IllegalStateException("nothing made " + name);
        }
        return found;
    }

    private void branch(NodeDef node, Map<String, Operand<?>> values, Listener listener) {
        boolean isSo = ((TBool) value(node.getInput(0), values).asTensor()).getObject();
        String name = node.getAttrOrThrow(isSo ? "then_branch" : "else_branch")
                .getFunc()
                .getName();
        Map<String, Operand<?>> inner = new HashMap<>();
        for (int i = 1; i < node.getInputCount(); i++) {
            if (!node.getInput(i).startsWith("^")) {
                inner.put("a" + (i - 1) + ":0", value(node.getInput(i), values));
            }
        }
        String prefix = FUNCTION + name + "/";
        kept.forEach((key, constant) -> {
            if (key.startsWith(prefix)) {
                inner.put(key.substring(prefix.length()), constant);
            }
        });
        run(Objects.requireNonNull(functions.get(name), name), inner, listener);
    }

    private Operation build(NodeDef node, Map<String, Operand<?>> values) {
        OperationBuilder builder = session.opBuilder(node.getOp(), node.getName(), session.baseScope());
        OpDef known = Library.known(node.getOp());
        int at = 0;
        for (OpDef.ArgDef argument : known.getInputArgList()) {
            boolean isList = !argument.getNumberAttr().isEmpty()
                    || !argument.getTypeListAttr().isEmpty();
            int count = Library.count(argument, node);
            List<Output<?>> inputs = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                inputs.add(value(node.getInput(at++), values).asOutput());
            }
            if (isList) {
                builder.addInputList(inputs.toArray(new Output<?>[0]));
            } else {
                builder.addInput(inputs.get(0));
            }
        }
        for (OpDef.AttrDef attribute : known.getAttrList()) {
            AttrValue set = node.getAttrMap().get(attribute.getName());
            if (set != null) {
                set(builder, attribute, set);
            }
        }
        return builder.build();
    }

    private static void set(OperationBuilder builder, OpDef.AttrDef attribute, AttrValue value) {
        String name = attribute.getName();
        AttrValue.ListValue list = value.getList();
        switch (attribute.getType()) {
            case "type" -> builder.setAttr(name, value.getType());
            case "int" -> builder.setAttr(name, value.getI());
            case "float" -> builder.setAttr(name, value.getF());
            case "bool" -> builder.setAttr(name, value.getB());
            case "string" -> builder.setAttr(name, value.getS().toByteArray());
            case "shape" -> builder.setAttr(name, shape(value.getShape()));
            case "list(int)" ->
                builder.setAttr(
                        name,
                        list.getIList().stream().mapToLong(Long::longValue).toArray());
            case "list(type)" -> builder.setAttr(name, list.getTypeList().toArray(new DataType[0]));
            case "list(shape)" ->
                builder.setAttr(
                        name, list.getShapeList().stream().map(Eager::shape).toArray(Shape[]::new));
            default -> throw new IllegalStateException("no way to set " + name + " of type " + attribute.getType());
        }
    }

    private static Shape shape(TensorShapeProto shape) {
        return shape.getUnknownRank()
                ? Shape.unknown()
                : Shape.of(shape.getDimList().stream()
                        .mapToLong(TensorShapeProto.Dim::getSize)
                        .toArray());
    }
}
