package dev.stagesim.engine.tf.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.tensorflow.Output;
import org.tensorflow.Session;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.DataType;
import org.tensorflow.types.TFloat32;

/** Variables with initial values, drawn from the seed in the order of the layers' requests. */
public final class WeightVariables {
    /** One variable. */
    public static final class Variable {
        public final String name;
        public final Output<?> handle;
        public final long[] shape;
        public final float[] first;
        public final boolean isTrained;

        Variable(String name, Output<?> handle, long[] shape, float[] first, boolean isTrained) {
            this.name = name;
            this.handle = handle;
            this.shape = shape;
            this.first = first;
            this.isTrained = isTrained;
        }
    }

    private final Ops ops;
    private final SplittableRandom random;
    private final List<Variable> all = new ArrayList<>();
    private final List<String> fed = new ArrayList<>();
    private final List<String> writes = new ArrayList<>();

    public WeightVariables(Ops ops, long seed) {
        this.ops = ops;
        random = new SplittableRandom(seed);
    }

    public List<Variable> all() {
        return all;
    }

    /** Number of trained values. */
    public long parameters() {
        return all.stream()
                .filter(variable -> variable.isTrained)
                .mapToLong(variable -> variable.first.length)
                .sum();
    }

    public Variable make(String name, boolean isTrained, float[] first, long... shape) {
        Output<?> handle = ops.op(
                "VarHandleOp",
                List.of(),
                "dtype",
                DataType.DT_FLOAT,
                "shape",
                Shape.of(shape),
                "shared_name",
                name + "#" + all.size());
        Variable variable = new Variable(name, handle, shape, first, isTrained);
        all.add(variable);
        return variable;
    }

    public Output<?> read(Variable variable) {
        return ops.op("ReadVariableOp", List.of(variable.handle), "dtype", DataType.DT_FLOAT);
    }

    /** Glorot initialisation: uniform within a bound that preserves variances through a layer. */
    public float[] glorot(int size, double in, double out) {
        double bound = Math.sqrt(6 / (in + out));
        float[] values = new float[size];
        for (int i = 0; i < size; i++) {
            values[i] = (float) ((2 * random.nextDouble() - 1) * bound);
        }
        return values;
    }

    public static float[] all(float value, int size) {
        float[] values = new float[size];
        java.util.Arrays.fill(values, value);
        return values;
    }

    /** Orthonormal rows. */
    public float[] orthogonal(int rows, int columns) {
        double[][] basis = new double[rows][columns];
        for (int i = 0; i < rows; i++) {
            double[] row = basis[i];
            for (int j = 0; j < columns; j++) {
                row[j] = 2 * random.nextDouble() - 1;
            }
            for (int previous = 0; previous < i; previous++) {
                double[] other = basis[previous];
                double dot = 0;
                for (int j = 0; j < columns; j++) {
                    dot += row[j] * other[j];
                }
                for (int j = 0; j < columns; j++) {
                    row[j] -= dot * other[j];
                }
            }
            double length = 0;
            for (double value : row) {
                length += value * value;
            }
            for (int j = 0; j < columns; j++) {
                row[j] /= Math.sqrt(length);
            }
        }
        float[] values = new float[rows * columns];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) basis[i / columns][i % columns];
        }
        return values;
    }

    /** Adds the operations that write the initial values. */
    public void prepare() {
        ops.scope("initial");
        for (Variable variable : all) {
            Output<?> value =
                    ops.op("Placeholder", List.of(), "dtype", DataType.DT_FLOAT, "shape", Shape.of(variable.shape));
            fed.add(value.op().name());
            writes.add(ops.add("AssignVariableOp", List.of(variable.handle, value), "dtype", DataType.DT_FLOAT)
                    .name());
        }
    }

    /**
     * Writes all initial values in one run, because each new set of operations costs the framework a pass over the
     * graph.
     */
    public void initialise(Session session) {
        Session.Runner runner = session.runner();
        List<TFloat32> tensors = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            TFloat32 tensor = Ops.tensor(all.get(i).first, all.get(i).shape);
            tensors.add(tensor);
            runner.feed(fed.get(i), tensor).addTarget(writes.get(i));
        }
        runner.run().close();
        tensors.forEach(TFloat32::close);
    }
}
