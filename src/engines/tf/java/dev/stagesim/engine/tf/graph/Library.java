package dev.stagesim.engine.tf.graph;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.TensorFlow;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.AttrValue;
import org.tensorflow.proto.DataType;
import org.tensorflow.proto.FunctionDef;
import org.tensorflow.proto.NameAttrList;
import org.tensorflow.proto.NodeDef;
import org.tensorflow.proto.OpDef;
import org.tensorflow.proto.TensorShapeProto;

/**
 * Framework functions of a workload: dataset transformations, branches, loop bodies, a compiled step.
 *
 * <p>The Java binding's own functions do not accept datasets and complex numbers as arguments, so this class creates
 * the definitions node by node.
 */
public final class Library {
    /** Builds the body of a function in a separate graph. */
    public interface Body {
        /** Returns the results of the function. */
        List<Output<?>> of(Ops inner, List<Output<?>> arguments);
    }

    private static final Map<String, OpDef> KNOWN = new HashMap<>();

    private final Map<String, FunctionDef> defined = new LinkedHashMap<>();

    public Collection<FunctionDef> all() {
        return defined.values();
    }

    /** Defines a function and returns the attribute that refers to it. */
    public AttrValue define(String hint, List<DataType> types, List<Shape> shapes, Body body) {
        String name = hint + "_" + defined.size();
        defined.put(name, FunctionDef.getDefaultInstance());
        Ops inner = new Ops(this);
        List<Output<?>> arguments = new ArrayList<>();
        Map<String, String> cut = new LinkedHashMap<>();
        for (int i = 0; i < types.size(); i++) {
            Output<?> one = inner.argument("a" + i, types.get(i), shapes.get(i));
            arguments.add(one);
            cut.put("a" + i + ":0", "a" + i);
        }
        List<Output<?>> results = body.of(inner, arguments);
        List<String> returned = results.stream().map(Library::tensor).toList();
        List<NodeDef> nodes = inner.graph.toGraphDef().getNodeList().stream()
                .filter(node -> !cut.containsKey(node.getName() + ":0"))
                .toList();
        List<DataType> returnedTypes = results.stream().map(Output::dataType).toList();
        List<String> required = inner.required().stream().map(Operation::name).toList();
        put(name, function(name, nodes, cut, types, returned, returnedTypes, required));
        inner.graph.close();
        return reference(name);
    }

    public void put(String name, FunctionDef function) {
        defined.put(name, function);
    }

    public static AttrValue reference(String name) {
        return AttrValue.newBuilder()
                .setFunc(NameAttrList.newBuilder().setName(name))
                .build();
    }

    public static String tensor(Output<?> output) {
        return output.op().name() + ":" + output.index();
    }

    /**
     * Creates a function from nodes.
     *
     * @param cut argument names by the tensors that they replace
     * @param returned result tensors
     * @param required nodes that must run
     */
    public static FunctionDef function(
            String name,
            List<NodeDef> nodes,
            Map<String, String> cut,
            List<DataType> types,
            List<String> returned,
            List<DataType> returnedTypes,
            List<String> required) {
        Map<String, NodeDef> byName = new HashMap<>();
        nodes.forEach(node -> byName.put(node.getName(), node));
        OpDef.Builder signature = OpDef.newBuilder().setName(name);
        int at = 0;
        for (String argument : cut.values()) {
            signature.addInputArg(OpDef.ArgDef.newBuilder().setName(argument).setType(types.get(at++)));
        }
        FunctionDef.Builder made = FunctionDef.newBuilder();
        for (int i = 0; i < returned.size(); i++) {
            signature.addOutputArg(OpDef.ArgDef.newBuilder().setName("r" + i).setType(returnedTypes.get(i)));
            made.putRet("r" + i, reference(returned.get(i), cut, byName));
        }
        for (int i = 0; i < required.size(); i++) {
            signature.addControlOutput("c" + i);
            made.putControlRet("c" + i, required.get(i));
        }
        boolean isStateful = false;
        for (NodeDef node : nodes) {
            isStateful |= known(node.getOp()).getIsStateful();
            NodeDef.Builder inside = node.toBuilder().clearInput();
            for (String input : node.getInputList()) {
                if (!input.startsWith("^")) {
                    inside.addInput(reference(input.contains(":") ? input : input + ":0", cut, byName));
                } else if (byName.containsKey(input.substring(1))) {
                    inside.addInput(input);
                }
            }
            made.addNodeDef(inside);
        }
        return made.setSignature(signature.setIsStateful(isStateful)).build();
    }

    /** Inside a function, a tensor is named by its operation's output name, not by its number. */
    private static String reference(String tensor, Map<String, String> cut, Map<String, NodeDef> byName) {
        String argument = cut.get(tensor);
        if (argument != null) {
            return argument;
        }
        int colon = tensor.lastIndexOf(':');
        NodeDef node = byName.get(tensor.substring(0, colon));
        if (node == null) {
            throw new IllegalStateException("no node makes " + tensor);
        }
        int left = Integer.parseInt(tensor.substring(colon + 1));
        for (OpDef.ArgDef output : known(node.getOp()).getOutputArgList()) {
            int count = count(output, node);
            if (left < count) {
                return node.getName() + ":" + output.getName() + ":" + left;
            }
            left -= count;
        }
        throw new IllegalStateException("no output " + tensor);
    }

    /**
     * Returns the nodes of a function with inputs as in a graph; its arguments are nodes {@code a0}, {@code a1} and so
     * on.
     */
    public List<NodeDef> body(String function) {
        FunctionDef made = Objects.requireNonNull(defined.get(function), function);
        Map<String, NodeDef> byName = new HashMap<>();
        made.getNodeDefList().forEach(node -> byName.put(node.getName(), node));
        List<NodeDef> all = new ArrayList<>();
        for (NodeDef node : made.getNodeDefList()) {
            NodeDef.Builder outside = node.toBuilder().clearInput();
            for (String input : node.getInputList()) {
                outside.addInput(plain(input, byName));
            }
            all.add(outside.build());
        }
        return all;
    }

    private static String plain(String input, Map<String, NodeDef> byName) {
        String[] parts = input.split(":", -1);
        if (parts.length < 3) {
            return input;
        }
        NodeDef node = Objects.requireNonNull(byName.get(parts[0]), input);
        int before = 0;
        for (OpDef.ArgDef output : known(node.getOp()).getOutputArgList()) {
            if (output.getName().equals(parts[1])) {
                break;
            }
            before += count(output, node);
        }
        return parts[0] + ":" + (before + Integer.parseInt(parts[2]));
    }

    /** Number of tensors in an input or output of an operation. */
    public static int count(OpDef.ArgDef argument, NodeDef node) {
        if (!argument.getNumberAttr().isEmpty()) {
            return (int) node.getAttrOrThrow(argument.getNumberAttr()).getI();
        }
        return argument.getTypeListAttr().isEmpty()
                ? 1
                : node.getAttrOrThrow(argument.getTypeListAttr()).getList().getTypeCount();
    }

    public static synchronized OpDef known(String type) {
        if (!KNOWN.containsKey(type)) {
            TensorFlow.registeredOpList().getOpList().forEach(op -> KNOWN.put(op.getName(), op));
        }
        return Objects.requireNonNull(KNOWN.get(type), type);
    }

    public static AttrValue types(List<DataType> types) {
        return AttrValue.newBuilder()
                .setList(AttrValue.ListValue.newBuilder().addAllType(types))
                .build();
    }

    public static AttrValue shapes(List<Shape> shapes) {
        AttrValue.ListValue.Builder all = AttrValue.ListValue.newBuilder();
        shapes.forEach(shape -> all.addShape(shape(shape)));
        return AttrValue.newBuilder().setList(all).build();
    }

    private static TensorShapeProto shape(Shape shape) {
        TensorShapeProto.Builder made = TensorShapeProto.newBuilder();
        if (shape.isUnknown()) {
            return made.setUnknownRank(true).build();
        }
        for (long size : shape.asArray()) {
            made.addDim(TensorShapeProto.Dim.newBuilder().setSize(size));
        }
        return made.build();
    }
}
