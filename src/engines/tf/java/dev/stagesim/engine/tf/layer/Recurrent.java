package dev.stagesim.engine.tf.layer;

import dev.stagesim.engine.tf.graph.Ops;
import dev.stagesim.engine.tf.graph.WeightVariables;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.tensorflow.Output;

/**
 * Recurrent layers. GRU layers are unrolled over their steps, because the framework has no operation for this variant.
 */
final class Recurrent {
    private final Net net;
    private final Ops ops;

    Recurrent(Net net) {
        this.net = net;
        ops = net.ops;
    }

    void apply(String name, int units, boolean isSequence) {
        boolean isBothWays = name.startsWith("bi");
        if (name.endsWith("lstm")) {
            new LstmKernel(net, units, isSequence).apply(isBothWays);
            return;
        }
        List<Output<?>> forwards = run(units, false);
        List<List<Output<?>>> ways = new ArrayList<>(List.of(forwards));
        if (isBothWays) {
            ways.add(run(units, true));
        }
        int steps = net.sizes[0];
        int width = units * ways.size();
        if (!isSequence) {
            List<Output<?>> ends = new ArrayList<>();
            ends.add(forwards.get(steps - 1));
            if (isBothWays) {
                ends.add(ways.get(1).get(0));
            }
            net.now = isBothWays ? ops.concat(1, ends) : ends.get(0);
            net.sizes = new int[] {width};
            return;
        }
        List<Output<?>> packed = new ArrayList<>();
        for (List<Output<?>> way : ways) {
            packed.add(ops.op("Pack", List.of(way), "axis", 1));
        }
        net.now = isBothWays ? ops.concat(2, packed) : packed.get(0);
        net.sizes = new int[] {steps, width};
    }

    /** States by step; if reversed, the last step is computed first. */
    private List<Output<?>> run(int units, boolean isReversed) {
        List<Output<?>> states = gru(units, isReversed);
        if (isReversed) {
            Collections.reverse(states);
        }
        return states;
    }

    private List<Output<?>> steps(Output<?> value, int axis, int count) {
        org.tensorflow.Operation unpacked = ops.add("Unpack", List.of(value), "num", count, "axis", axis);
        List<Output<?>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(unpacked.output(i));
        }
        return all;
    }

    /** Initial values of a kernel: rows of the input, then rows of the state. */
    static float[] lstmKernel(Net net, int in, int units) {
        float[] first = net.glorot(in * 4 * units, in, 4.0 * units);
        float[] recurrent = net.orthogonal(units, 4 * units);
        float[] kernel = new float[first.length + recurrent.length];
        System.arraycopy(first, 0, kernel, 0, first.length);
        System.arraycopy(recurrent, 0, kernel, first.length, recurrent.length);
        return kernel;
    }

    /** Initial bias that opens the forget gates. */
    static float[] forgetBias(int units) {
        float[] bias = new float[4 * units];
        java.util.Arrays.fill(bias, units, 2 * units, 1);
        return bias;
    }

    private List<Output<?>> gru(int units, boolean isReversed) {
        int in = net.last();
        int count = net.sizes[0];
        int gates = 3 * units;
        Output<?> kernel = net.weight(net.glorot(in * gates, in, gates), in, gates);
        Output<?> projected = ops.reshape(net.product(net.now, kernel, in, gates), net.batch, count, gates);
        Output<?> recurrent = net.weight(net.orthogonal(units, gates), units, gates);
        Output<?> bias = net.weight(WeightVariables.all(0, gates), gates);
        List<Output<?>> inputs = steps(projected, 1, count);
        Output<?> h = ops.cast(ops.values(new float[net.batch * units], net.batch, units), net.type);
        List<Output<?>> states = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Output<?> state = ops.op("BiasAdd", ops.op("MatMul", h, recurrent), bias);
            org.tensorflow.Operation x =
                    ops.add("Split", List.of(ops.whole(1), inputs.get(isReversed ? count - 1 - i : i)), "num_split", 3);
            org.tensorflow.Operation s = ops.add("Split", List.of(ops.whole(1), state), "num_split", 3);
            Output<?> update = ops.op("Sigmoid", ops.add(x.output(0), s.output(0)));
            Output<?> reset = ops.op("Sigmoid", ops.add(x.output(1), s.output(1)));
            Output<?> fresh = ops.op("Tanh", ops.add(x.output(2), ops.mul(reset, s.output(2))));
            h = ops.add(fresh, ops.mul(update, ops.sub(h, fresh)));
            states.add(h);
        }
        return states;
    }
}
