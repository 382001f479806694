package dev.stagesim.engine.tf.layer;

import dev.stagesim.engine.tf.graph.Job;
import dev.stagesim.engine.tf.graph.Nullable;
import dev.stagesim.engine.tf.graph.Ops;
import dev.stagesim.engine.tf.graph.WeightVariables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.proto.DataType;

/** Builds the layers of a workload twice, for training and for inference, with shared weights. */
public final class Net {
    private static final double EPSILON = 1e-3;
    private static final float MOMENTUM = 0.99f;

    final Ops ops;
    final Job job;
    final int batch;
    final DataType type;
    final boolean isTraining;
    final List<GradientLayer> layers = new ArrayList<>();
    final List<Operation> updates = new ArrayList<>();
    final List<Operation> aside = new ArrayList<>();
    final List<String> notes = new ArrayList<>();
    private final WeightVariables weights;
    private final Output<?> seed;
    private final Map<String, Output<?>> saved = new HashMap<>();
    private final Map<String, int[]> savedSizes = new HashMap<>();
    private final Map<String, List<Output<?>>> shared = new HashMap<>();
    /** Weights of the current shared part, or null. */
    private @Nullable List<Output<?>> pool;

    private int poolAt;
    private int next;
    /** Indices, values and shape of a sparse input; empty for a dense input. */
    public List<Output<?>> sparse = List.of();
    /** Mask from the pipeline, or null if there is none. */
    @Nullable
    public Output<?> mask;

    Output<?> input;
    public int[] sizes;
    Output<?> now;
    GradientLayer layer;
    int drops;

    public Net(
            Ops ops,
            Job job,
            WeightVariables weights,
            DataType type,
            boolean isTraining,
            Output<?> input,
            Output<?> seed) {
        this.ops = ops;
        this.job = job;
        this.weights = weights;
        this.type = type;
        this.isTraining = isTraining;
        this.input = input;
        this.seed = seed;
        batch = job.whole("batch");
        sizes = job.wholes("input");
        now = input;
        layer = new GradientLayer("input", input);
    }

    boolean has(String special) {
        return job.list("special").stream().anyMatch(line -> line.split(" ", -1)[0].equals(special));
    }

    /** Builds all layers; returns the output of the last one as float32. */
    public Output<?> build() {
        int number = 0;
        for (String line : job.list("net")) {
            String[] words = line.split(" ", -1);
            number++;
            String name = String.format(Locale.ROOT, "%02d_%s", number, words[0]);
            ops.scope((isTraining ? "" : "infer/") + name);
            layer = new GradientLayer(name, now);
            new Kit(this).apply(words[0], Arrays.asList(words).subList(1, words.length));
            layer.output = now;
            layers.add(layer);
        }
        ops.scope(isTraining ? "loss" : "infer/loss");
        return ops.cast(now, DataType.DT_FLOAT);
    }

    int last() {
        return sizes[sizes.length - 1];
    }

    int rows() {
        int rows = batch;
        for (int i = 0; i + 1 < sizes.length; i++) {
            rows *= sizes[i];
        }
        return rows;
    }

    void save(String name) {
        saved.put(name, now);
        savedSizes.put(name, sizes);
    }

    Output<?> saved(String name) {
        Output<?> found = Objects.requireNonNull(saved.get(name), name);
        layer.inputs.add(found);
        return found;
    }

    int[] savedSizes(String name) {
        return Objects.requireNonNull(savedSizes.get(name), name);
    }

    /** Returns a trained value, cast to the compute type. */
    Output<?> weight(float[] first, long... shape) {
        if (pool != null && poolAt < pool.size()) {
            Output<?> existing = pool.get(poolAt++);
            layer.trained.add(existing);
            return ops.cast(existing, type);
        }
        Output<?> read = variable(true, first, shape);
        layer.trained.add(read);
        if (pool != null) {
            pool.add(read);
            poolAt++;
        }
        return ops.cast(read, type);
    }

    /** Runs a part with shared weights; the first part with a given name creates them. */
    void sharing(String name, Runnable part) {
        pool = shared.computeIfAbsent(name, key -> new ArrayList<>());
        poolAt = 0;
        part.run();
        pool = null;
    }

    private Output<?> variable(boolean isTrained, float[] first, long... shape) {
        return weights.read(variableOf(isTrained, first, shape));
    }

    private WeightVariables.Variable variableOf(boolean isTrained, float[] first, long... shape) {
        return isTraining
                ? weights.make(layer.name, isTrained, first, shape)
                : weights.all().get(next++);
    }

    float[] glorot(int size, double in, double out) {
        return isTraining ? weights.glorot(size, in, out) : new float[0];
    }

    float[] orthogonal(int rows, int columns) {
        return isTraining ? weights.orthogonal(rows, columns) : new float[0];
    }

    Output<?> dense(Output<?> value, int in, int out) {
        return product(value, weight(glorot(in * out, in, out), in, out), in, out);
    }

    /** Matrix product with any number of leading axes. */
    Output<?> product(Output<?> value, Output<?> kernel, int in, int out) {
        Output<?> flat = ops.reshape(value, -1, in);
        Output<?> bias = weight(WeightVariables.all(0, out), out);
        return ops.op("BiasAdd", ops.op("MatMul", flat, kernel), bias);
    }

    /** Dropout; the mask depends on the workload's seed, the step and the position. */
    Output<?> dropout(Output<?> value, double rate) {
        if (!isTraining || rate == 0) {
            return value;
        }
        Output<?> at = ops.add(seed, ops.ints(0, 7919 * ++drops));
        Output<?> drawn =
                ops.op("StatelessRandomUniform", List.of(ops.op("Shape", value), at), "dtype", DataType.DT_FLOAT);
        Output<?> kept = ops.op("GreaterEqual", drawn, ops.number(rate));
        Output<?> mask = ops.op("Cast", List.of(kept), "DstT", value.dataType());
        return ops.mul(ops.mul(value, mask), ops.number(1 / (1 - rate), value));
    }

    Output<?> layerNorm(Output<?> value, int width) {
        Output<?> exact = ops.cast(value, DataType.DT_FLOAT);
        int[] axis = {-1};
        Output<?> mean = ops.mean(exact, true, axis);
        Output<?> centred = ops.sub(exact, mean);
        Output<?> variance = ops.mean(ops.op("Square", centred), true, axis);
        Output<?> scale = ops.op("Rsqrt", ops.add(variance, ops.number(EPSILON)));
        Output<?> normed = ops.cast(ops.mul(centred, scale), type);
        Output<?> gamma = weight(WeightVariables.all(1, width), width);
        return ops.add(ops.mul(normed, gamma), weight(WeightVariables.all(0, width), width));
    }

    Output<?> batchNorm(Output<?> value, int channels) {
        Output<?> gamma = ops.cast(weight(WeightVariables.all(1, channels), channels), DataType.DT_FLOAT);
        Output<?> beta = ops.cast(weight(WeightVariables.all(0, channels), channels), DataType.DT_FLOAT);
        WeightVariables.Variable mean = variableOf(false, WeightVariables.all(0, channels), channels);
        WeightVariables.Variable variance = variableOf(false, WeightVariables.all(1, channels), channels);
        Output<?> oldMean = weights.read(mean);
        Output<?> oldVariance = weights.read(variance);
        Output<?> none = ops.values(new float[0], 0);
        Operation norm = ops.add(
                "FusedBatchNormV3",
                isTraining
                        ? List.of(ops.cast(value, DataType.DT_FLOAT), gamma, beta, none, none)
                        : List.of(ops.cast(value, DataType.DT_FLOAT), gamma, beta, oldMean, oldVariance),
                "epsilon",
                (float) EPSILON,
                "is_training",
                isTraining);
        if (isTraining) {
            updateAverage(mean, oldMean, norm.output(1));
            updateAverage(variance, oldVariance, norm.output(2));
        }
        return ops.cast(norm.output(0), type);
    }

    private void updateAverage(WeightVariables.Variable average, Output<?> old, Output<?> batch) {
        Output<?> step = ops.mul(ops.sub(old, batch), ops.number(1 - MOMENTUM));
        updates.add(ops.add("AssignSubVariableOp", List.of(average.handle, step), "dtype", DataType.DT_FLOAT));
    }
}
