package dev.stagesim.engine.tf.layer;

import dev.stagesim.engine.tf.graph.Loops;
import dev.stagesim.engine.tf.graph.Ops;
import dev.stagesim.engine.tf.graph.WeightVariables;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.tensorflow.Output;
import org.tensorflow.proto.DataType;

/** Layers as framework operations. */
final class Kit {
    private static final double SQRT_HALF = Math.sqrt(0.5);

    private final Net net;
    private final Ops ops;
    private final DataType type;

    Kit(Net net) {
        this.net = net;
        ops = net.ops;
        type = net.type;
    }

    void apply(String name, List<String> args) {
        int[] n = args.stream()
                .filter(word -> word.matches("[0-9]+"))
                .mapToInt(Integer::parseInt)
                .toArray();
        double[] f = args.stream()
                .filter(word -> word.matches("[0-9.]+"))
                .mapToDouble(Double::parseDouble)
                .toArray();
        if (!name.equals("emb") && net.sparse.isEmpty() && net.now.dataType() != type) {
            net.now = ops.cast(net.now, type);
        }
        switch (name) {
            case "dense" -> dense(n[0]);
            case "act" -> {}
            case "fused_relu" -> fusedRelu();
            case "dropout" -> net.now = net.dropout(net.now, f[0]);
            case "ln" -> net.now = net.layerNorm(net.now, net.last());
            case "bn" -> net.now = net.batchNorm(net.now, net.last());
            case "moe" -> experts(n[0], n[1]);
            case "stochres" -> stochastic(n[0]);
            case "sparse_dense" -> sparse(n[0]);
            case "halfmask_relu" -> halfMask();
            case "gap" -> mean();
            case "reshape" -> shape(n);
            case "flatten" -> shape(net.last() * net.rows() / net.batch);
            case "repeat" -> repeat(n[0]);
            case "save" -> net.save(args.get(0));
            case "concat" -> concat(args.get(0));
            case "add" -> net.now = ops.add(net.now, ops.cast(net.saved(args.get(0)), type));
            case "last_step" -> lastStep();
            case "lstm", "bilstm", "gru", "bigru" -> new Recurrent(net).apply(name, n[0], args.contains("seq"));
            case "emb", "rope", "mha", "enc", "enc_shared", "dotattn" -> new Attention(net).apply(name, n, f);
            default -> new Convolutions(net).apply(name, n, args);
        }
        activation(args).ifPresent(word -> net.now = activate(word, net.now));
    }

    private static Optional<String> activation(List<String> args) {
        return args.stream()
                .filter(List.of("relu", "sigmoid", "tanh", "swish", "gelu")::contains)
                .findFirst();
    }

    Output<?> activate(String word, Output<?> value) {
        return switch (word) {
            case "relu" -> ops.op("Relu", value);
            case "sigmoid" -> ops.op("Sigmoid", value);
            case "tanh" -> ops.op("Tanh", value);
            case "swish" -> ops.mul(value, ops.op("Sigmoid", value));
            case "gelu" -> {
                Output<?> share =
                        ops.add(ops.op("Erf", ops.mul(value, ops.number(SQRT_HALF, value))), ops.number(1, value));
                yield ops.mul(ops.mul(value, share), ops.number(0.5, value));
            }
            default -> throw new IllegalArgumentException(word);
        };
    }

    /** Reshapes the result of a product like its input, with another last size. */
    void shaped(Output<?> flat, int last) {
        int[] sizes = net.sizes.clone();
        sizes[sizes.length - 1] = last;
        shape(flat, sizes);
    }

    private void shape(Output<?> value, int... sizes) {
        int[] all = new int[sizes.length + 1];
        all[0] = net.batch;
        System.arraycopy(sizes, 0, all, 1, sizes.length);
        net.now = ops.reshape(value, all);
        net.sizes = sizes;
    }

    private void shape(int... sizes) {
        shape(net.now, sizes);
    }

    private void dense(int units) {
        shaped(net.dense(net.now, net.last(), units), units);
    }

    private void fusedRelu() {
        Output<?> in = net.now;
        net.now = ops.op("Relu", in);
        net.layer.backward =
                dy -> List.of(ops.mul(dy, ops.cast(ops.op("Greater", in, ops.number(0, in)), in.dataType())));
    }

    private void experts(int count, int units) {
        List<Output<?>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Output<?> gate = activate("sigmoid", net.dense(net.now, net.last(), units));
            Output<?> unit = activate("gelu", net.dense(net.now, net.last(), units));
            all.add(ops.mul(gate, unit));
        }
        net.now = ops.concat(1, all);
        net.sizes = new int[] {count * units};
    }

    private void stochastic(int units) {
        if (net.job.list("left_out").contains(net.layer.name)) {
            return;
        }
        net.now = ops.add(net.now, activate("relu", net.dense(net.now, net.last(), units)));
    }

    /** Product with the non-zero values of its input, as indices and values; the framework has no gradient for it. */
    private void sparse(int units) {
        int in = net.last();
        List<Output<?>> parts = net.sparse.isEmpty() ? parts(net.now) : net.sparse;
        Output<?> where = parts.get(0);
        Output<?> values = parts.get(1);
        Output<?> shape = parts.get(2);
        Output<?> kernel = net.weight(net.glorot(in * units, in, units), in, units);
        Output<?> bias = net.weight(WeightVariables.all(0, units), units);
        Output<?> product = ops.op("SparseTensorDenseMatMul", List.of(where, values, shape, kernel));
        net.now = ops.op("BiasAdd", product, bias);
        net.sizes = new int[] {units};
        net.layer.backward = dy -> List.of(
                ops.op("SparseTensorDenseMatMul", List.of(where, values, shape, dy), "adjoint_a", true),
                ops.sum(dy, false, 0));
    }

    private List<Output<?>> parts(Output<?> dense) {
        Output<?> where = ops.op("Where", ops.op("NotEqual", dense, ops.number(0, dense)));
        Output<?> shape = ops.op("Shape", List.of(dense), "out_type", DataType.DT_INT64);
        return List.of(where, ops.op("GatherNd", dense, where), shape);
    }

    private void halfMask() {
        Output<?> in = net.now;
        Output<?> isAbove = ops.cast(ops.op("Greater", in, ops.number(0, in)), in.dataType());
        Output<?> mask = ops.add(ops.mul(isAbove, ops.number(0.5, in)), ops.number(0.5, in));
        net.now = activate("relu", ops.mul(in, mask));
    }

    void mean() {
        int[] axes = new int[net.sizes.length - 1];
        for (int i = 0; i < axes.length; i++) {
            axes[i] = i + 1;
        }
        net.now = ops.mean(net.now, false, axes);
        net.sizes = new int[] {net.last()};
    }

    private void repeat(int times) {
        int width = net.last();
        net.now = ops.op("Pack", List.of(Collections.nCopies(times, net.now)), "axis", 1);
        net.sizes = new int[] {times, width};
    }

    private void concat(String name) {
        Output<?> other = ops.cast(net.saved(name), type);
        int[] beside = net.savedSizes(name);
        net.now = ops.concat(net.sizes.length, List.of(net.now, other));
        net.sizes = net.sizes.clone();
        net.sizes[net.sizes.length - 1] += beside[beside.length - 1];
    }

    private void lastStep() {
        if (net.has("map_sum") && net.isTraining) {
            net.aside.add(Loops.sums(ops, net.now, net.batch, net.last()));
        }
        net.now = ops.op(
                "StridedSlice",
                List.of(net.now, ops.ints(0, net.sizes[0] - 1), ops.ints(net.batch, net.sizes[0]), ops.ints(1, 1)),
                "shrink_axis_mask",
                2);
        net.sizes = new int[] {net.last()};
    }
}
