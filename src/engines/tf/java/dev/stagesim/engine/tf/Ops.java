package dev.stagesim.engine.tf;

import java.nio.FloatBuffer;
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
import org.tensorflow.proto.DataType;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt32;

/** Adds operations to a graph by their names, under the name of the layer that is being built. */
final class Ops {
    final Graph graph = new Graph();
    private final Map<String, Integer> used = new HashMap<>();
    private final Set<Operation> controls = new LinkedHashSet<>();
    private String scope = "";

    /** What is added from here on is named after this. */
    void scope(String name) {
        scope = name;
    }

    String scope() {
        return scope;
    }

    /** What is added from here on waits for these; for none, nothing. */
    void after(Iterable<Operation> operations) {
        controls.clear();
        operations.forEach(controls::add);
    }

    /** What new operations wait for. */
    List<Operation> controls() {
        return List.copyOf(controls);
    }

    /**
     * Adds an operation.
     *
     * @param inputs outputs, or lists of outputs for inputs that are lists
     * @param attributes names and values in turn
     */
    Operation add(String type, List<?> inputs, Object... attributes) {
        String name = (scope.isEmpty() ? "" : scope + "/") + type;
        int count = used.merge(name, 1, Integer::sum);
        OperationBuilder builder = graph.opBuilder(type, count == 1 ? name : name + "_" + (count - 1), graph.baseScope());
        for (Object input : inputs) {
            if (input instanceof List<?> list) {
                builder.addInputList(list.toArray(new Output<?>[0]));
            } else {
                builder.addInput((Output<?>) input);
            }
        }
        // A variable is there from the start, whatever its writes wait for.
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

    Output<?> op(String type, List<?> inputs, Object... attributes) {
        return add(type, inputs, attributes).output(0);
    }

    Output<?> op(String type, Output<?> a) {
        return op(type, List.of(a));
    }

    Output<?> op(String type, Output<?> a, Output<?> b) {
        return op(type, List.of(a, b));
    }

    Output<?> placeholder(String name, DataType type, long... shape) {
        OperationBuilder builder = graph.opBuilder("Placeholder", name, graph.baseScope());
        builder.setAttr("dtype", type);
        builder.setAttr("shape", Shape.of(shape));
        return builder.build().output(0);
    }

    Output<?> ints(int... values) {
        try (TInt32 tensor = TInt32.vectorOf(values)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_INT32);
        }
    }

    Output<?> whole(int value) {
        try (TInt32 tensor = TInt32.scalarOf(value)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_INT32);
        }
    }

    Output<?> number(double value) {
        try (TFloat32 tensor = TFloat32.scalarOf((float) value)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_FLOAT);
        }
    }

    /** A constant in the type of another tensor. */
    Output<?> number(double value, Output<?> like) {
        return cast(number(value), like.dataType());
    }

    Output<?> values(float[] values, long... shape) {
        try (TFloat32 tensor = tensor(values, shape)) {
            return op("Const", List.of(), "value", tensor, "dtype", DataType.DT_FLOAT);
        }
    }

    static TFloat32 tensor(float[] values, long... shape) {
        return TFloat32.tensorOf(Shape.of(shape), DataBuffers.of(FloatBuffer.wrap(values)));
    }

    Output<?> cast(Output<?> value, DataType type) {
        return value.dataType() == type ? value : op("Cast", List.of(value), "DstT", type);
    }

    Output<?> add(Output<?> a, Output<?> b) {
        return op("AddV2", a, b);
    }

    Output<?> sub(Output<?> a, Output<?> b) {
        return op("Sub", a, b);
    }

    Output<?> mul(Output<?> a, Output<?> b) {
        return op("Mul", a, b);
    }

    Output<?> reshape(Output<?> value, int... sizes) {
        return op("Reshape", value, ints(sizes));
    }

    Output<?> transpose(Output<?> value, int... order) {
        return op("Transpose", value, ints(order));
    }

    Output<?> mean(Output<?> value, boolean keep, int... axes) {
        return op("Mean", List.of(value, ints(axes)), "keep_dims", keep);
    }

    Output<?> sum(Output<?> value, boolean keep, int... axes) {
        return op("Sum", List.of(value, ints(axes)), "keep_dims", keep);
    }

    Output<?> concat(int axis, List<Output<?>> parts) {
        return op("ConcatV2", List.of(parts, whole(axis)));
    }
}
