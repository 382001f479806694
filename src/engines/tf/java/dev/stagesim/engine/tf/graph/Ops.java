package dev.stagesim.engine.tf.graph;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tensorflow.Graph;
import org.tensorflow.Operation;
import org.tensorflow.OperationBuilder;
import org.tensorflow.Output;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.proto.AttrValue;
import org.tensorflow.proto.DataType;
import org.tensorflow.proto.TensorProto;
import org.tensorflow.proto.TensorShapeProto;
import org.tensorflow.types.TBool;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt32;
import org.tensorflow.types.TInt64;
import org.tensorflow.types.TString;

/** Adds operations to a graph by type name, within the scope of the current layer. */
public final class Ops {
    public final Graph graph = new Graph();
    private final Map<String, Integer> used = new HashMap<>();
    private final Set<Operation> controls = new LinkedHashSet<>();
    private final List<Operation> required = new ArrayList<>();
    public final Library library;
    private String scope = "";
    private String device = "";

    public Ops() {
        this(new Library());
    }

    /** Creates a graph with a shared function library. */
    public Ops(Library library) {
        this.library = library;
    }

    /** Registers an operation that a function must run before it returns. */
    public void require(Operation operation) {
        required.add(operation);
    }

    List<Operation> required() {
        return required;
    }

    /** Places the following operations on a device; empty lets the framework choose. */
    public void device(String name) {
        device = name;
    }

    /** Sets the name scope of the following operations. */
    public void scope(String name) {
        scope = name;
    }

    public String scope() {
        return scope;
    }

    /** Sets control dependencies for the following operations; empty for none. */
    public void after(Iterable<Operation> operations) {
        controls.clear();
        operations.forEach(controls::add);
    }

    /** Control dependencies of new operations. */
    public List<Operation> controls() {
        return List.copyOf(controls);
    }

    /**
     * Adds an operation.
     *
     * @param inputs outputs, or lists of outputs for list inputs
     * @param attributes alternating names and values
     */
    public Operation add(String type, List<?> inputs, Object... attributes) {
        String name = (scope.isEmpty() ? "" : scope + "/") + type;
        int count = used.merge(name, 1, Integer::sum);
        OperationBuilder builder =
                graph.opBuilder(type, count == 1 ? name : name + "_" + (count - 1), graph.baseScope());
        for (Object input : inputs) {
            if (input instanceof List<?> list) {
                builder.addInputList(list.toArray(new Output<?>[0]));
            } else {
                builder.addInput((Output<?>) input);
            }
        }
        if (!device.isEmpty()) {
            builder.setDevice(device);
        }
        // Variables exist from the start and have no control dependencies.
        if (!type.equals("VarHandleOp")) {
            controls.forEach(builder::addControlInput);
        }
        for (int i = 0; i < attributes.length; i += 2) {
            set(builder, (String) attributes[i], attributes[i + 1]);
        }
        return builder.build();
    }

    private static void set(OperationBuilder builder, String name, Object value) {
        if (value instanceof DataType type) {
            builder.setAttr(name, type);
        } else if (value instanceof Boolean flag) {
            builder.setAttr(name, (boolean) flag);
        } else if (value instanceof Float number) {
            builder.setAttr(name, (float) number);
        } else if (value instanceof Integer number) {
            builder.setAttr(name, (long) number);
        } else if (value instanceof AttrValue any) {
            builder.setAttr(name, any);
        } else if (value instanceof long[] numbers) {
            builder.setAttr(name, numbers);
        } else if (value instanceof String text) {
            builder.setAttr(name, text);
        } else if (value instanceof Shape shape) {
            builder.setAttr(name, shape);
        } else if (value instanceof org.tensorflow.Tensor tensor) {
            builder.setAttr(name, tensor);
        } else {
            throw new IllegalArgumentException(name + "=" + value);
        }
    }

    public Output<?> op(String type, List<?> inputs, Object... attributes) {
        return add(type, inputs, attributes).output(0);
    }

    public Output<?> op(String type, Output<?> a) {
        return op(type, List.of(a));
    }

    public Output<?> op(String type, Output<?> a, Output<?> b) {
        return op(type, List.of(a, b));
    }

    public Output<?> placeholder(String name, DataType type, long... shape) {
        return argument(name, type, Shape.of(shape));
    }

    Output<?> argument(String name, DataType type, Shape shape) {
        OperationBuilder builder = graph.opBuilder("Placeholder", name, graph.baseScope());
        builder.setAttr("dtype", type);
        builder.setAttr("shape", shape);
        return builder.build().output(0);
    }

    public Output<?> ints(int... values) {
        try (TInt32 tensor = TInt32.vectorOf(values)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_INT32);
        }
    }

    public Output<?> longs(long... values) {
        try (TInt64 tensor = TInt64.vectorOf(values)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_INT64);
        }
    }

    public Output<?> long1(long value) {
        try (TInt64 tensor = TInt64.scalarOf(value)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_INT64);
        }
    }

    /** A vector of length 0. */
    public Output<?> none(DataType type) {
        TensorShapeProto.Builder shape = TensorShapeProto.newBuilder()
                .addDim(TensorShapeProto.Dim.newBuilder().setSize(0));
        AttrValue value = AttrValue.newBuilder()
                .setTensor(TensorProto.newBuilder().setDtype(type).setTensorShape(shape))
                .build();
        return op("Const", List.of(), "value", value, "dtype", type);
    }

    public Output<?> flag(boolean value) {
        try (TBool tensor = TBool.scalarOf(value)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_BOOL);
        }
    }

    public Output<?> text(String value) {
        try (TString tensor = TString.scalarOf(value)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_STRING);
        }
    }

    public Output<?> texts(String... values) {
        try (TString tensor = TString.vectorOf(values)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_STRING);
        }
    }

    public Output<?> whole(int value) {
        try (TInt32 tensor = TInt32.scalarOf(value)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_INT32);
        }
    }

    public Output<?> number(double value) {
        try (TFloat32 tensor = TFloat32.scalarOf((float) value)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_FLOAT);
        }
    }

    /** A constant with the type of another tensor. */
    public Output<?> number(double value, Output<?> like) {
        return cast(number(value), like.dataType());
    }

    public Output<?> values(float[] values, long... shape) {
        try (TFloat32 tensor = tensor(values, shape)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_FLOAT);
        }
    }

    public static TFloat32 tensor(float[] values, long... shape) {
        return TFloat32.tensorOf(Shape.of(shape), DataBuffers.of(FloatBuffer.wrap(values)));
    }

    public Output<?> cast(Output<?> value, DataType type) {
        return value.dataType() == type ? value : op("Cast", List.of(value), "DstT", type);
    }

    public Output<?> add(Output<?> a, Output<?> b) {
        return op("AddV2", a, b);
    }

    public Output<?> sub(Output<?> a, Output<?> b) {
        return op("Sub", a, b);
    }

    public Output<?> mul(Output<?> a, Output<?> b) {
        return op("Mul", a, b);
    }

    public Output<?> reshape(Output<?> value, int... sizes) {
        return op("Reshape", value, ints(sizes));
    }

    /** Reshapes to a partially specified shape; negative sizes are unknown. */
    public Output<?> reshaped(Output<?> value, int... sizes) {
        return op("EnsureShape", List.of(value), "shape", shape(sizes));
    }

    /** Creates a shape; negative sizes are unknown. */
    public static Shape shape(int... sizes) {
        return Shape.of(java.util.Arrays.stream(sizes)
                .mapToLong(size -> size < 0 ? Shape.UNKNOWN_SIZE : size)
                .toArray());
    }

    public Output<?> transpose(Output<?> value, int... order) {
        return op("Transpose", value, ints(order));
    }

    public Output<?> mean(Output<?> value, boolean keep, int... axes) {
        return op("Mean", List.of(value, ints(axes)), "keep_dims", keep);
    }

    public Output<?> sum(Output<?> value, boolean keep, int... axes) {
        return op("Sum", List.of(value, ints(axes)), "keep_dims", keep);
    }

    public Output<?> concat(int axis, List<Output<?>> parts) {
        return op("ConcatV2", List.of(parts, whole(axis)));
    }

    /** Checkerboard mask: each position attends to every second position. */
    public Output<?> checkerboard(int steps) {
        float[] checkerboard = new float[steps * steps];
        for (int i = 0; i < checkerboard.length; i++) {
            checkerboard[i] = (i / steps + i % steps) % 2 == 0 ? 1 : 0;
        }
        return values(checkerboard, steps, steps);
    }
}
