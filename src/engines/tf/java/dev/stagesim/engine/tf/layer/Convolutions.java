package dev.stagesim.engine.tf.layer;

import dev.stagesim.engine.tf.graph.Ops;
import dev.stagesim.engine.tf.graph.WeightVariables;
import java.util.List;
import org.tensorflow.Output;

/** Convolutions over images and sequences. */
final class Convolutions {
    private final Net net;
    private final Ops ops;
    private final Kit kit;

    Convolutions(Net net) {
        this.net = net;
        ops = net.ops;
        kit = new Kit(net);
    }

    void apply(String name, int[] n, List<String> args) {
        switch (name) {
            case "conv" -> {
                int stride = args.contains("s4") ? 4 : args.contains("s2") ? 2 : 1;
                int wide = n.length > 2 ? n[2] : n[1];
                conv(n[0], n[1], wide, stride, args.contains("valid"), !args.contains("nobias"));
            }
            case "convt" -> transposed(n[0], n[1]);
            case "conv1d" -> net.now = causal(net.now, net.last(), n[0], n[1], 1);
            case "dw" -> depthwise(n[0], true);
            case "sep" -> {
                depthwise(n[1], false);
                conv(n[0], 1, 1, 1, false, true);
            }
            case "se" -> squeeze(n[0]);
            case "resblock" -> residual(n[0]);
            case "lsblock" -> layerScale(n[0]);
            case "tcn" -> dilated(n[0]);
            case "maxpool" -> pool(n[0]);
            default -> throw new IllegalArgumentException(name);
        }
        if (name.equals("conv1d")) {
            net.sizes = new int[] {net.sizes[0], n[0]};
        }
    }

    private void conv(int filters, int high, int wide, int stride, boolean isValid, boolean hasBias) {
        int in = net.last();
        float[] first =
                net.glorot(high * wide * in * filters, (double) high * wide * in, (double) high * wide * filters);
        Output<?> kernel = net.weight(first, high, wide, in, filters);
        Output<?> made = ops.op(
                "Conv2D",
                List.of(net.now, kernel),
                "strides",
                new long[] {1, stride, stride, 1},
                "padding",
                isValid ? "VALID" : "SAME");
        net.now = hasBias ? ops.op("BiasAdd", made, net.weight(WeightVariables.all(0, filters), filters)) : made;
        net.sizes =
                new int[] {out(net.sizes[0], high, stride, isValid), out(net.sizes[1], wide, stride, isValid), filters};
    }

    private static int out(int size, int window, int stride, boolean isValid) {
        return isValid ? (size - window) / stride + 1 : (size + stride - 1) / stride;
    }

    private void transposed(int filters, int size) {
        int in = net.last();
        int taps = size * size;
        Output<?> kernel = net.weight(
                net.glorot(taps * in * filters, (double) taps * in, (double) taps * filters), size, size, filters, in);
        int[] sizes = {2 * net.sizes[0], 2 * net.sizes[1], filters};
        Output<?> made = ops.op(
                "Conv2DBackpropInput",
                List.of(ops.ints(net.batch, sizes[0], sizes[1], filters), kernel, net.now),
                "strides",
                new long[] {1, 2, 2, 1},
                "padding",
                "SAME");
        net.now = ops.op("BiasAdd", made, net.weight(WeightVariables.all(0, filters), filters));
        net.sizes = sizes;
    }

    /**
     * Causal convolution. For a dilation, steps at that distance are gathered into separate samples, because the
     * framework has no CPU kernel for dilated convolutions.
     */
    private Output<?> causal(Output<?> value, int in, int filters, int size, int distance) {
        int steps = net.sizes[0];
        Output<?> kernel = net.weight(
                net.glorot(size * in * filters, (double) size * in, (double) size * filters), 1, size, in, filters);
        Output<?> bias = net.weight(WeightVariables.all(0, filters), filters);
        int before = (size - 1) * distance;
        int behind = (distance - (steps + before) % distance) % distance;
        boolean isSpread = distance > 1 && size > 1;
        Output<?> padded = value;
        if (isSpread) {
            padded = ops.op(
                    "SpaceToBatchND", List.of(value, ops.ints(distance), ops.reshape(ops.ints(before, behind), 1, 2)));
        } else if (before > 0) {
            padded = ops.op("Pad", value, ops.reshape(ops.ints(0, 0, before, 0, 0, 0), 3, 2));
        }
        int rows = isSpread ? net.batch * distance : net.batch;
        int length = isSpread ? (steps + before + behind) / distance : steps + before;
        Output<?> made = ops.op(
                "Conv2D",
                List.of(ops.reshape(padded, rows, 1, length, in), kernel),
                "strides",
                new long[] {1, 1, 1, 1},
                "padding",
                "VALID");
        made = ops.reshape(made, rows, length - size + 1, filters);
        if (isSpread) {
            made = ops.op("BatchToSpaceND", List.of(made, ops.ints(distance), ops.reshape(ops.ints(0, behind), 1, 2)));
        }
        return ops.op("BiasAdd", ops.reshape(made, net.batch, steps, filters), bias);
    }

    private void depthwise(int size, boolean hasBias) {
        int in = net.last();
        Output<?> kernel = net.weight(
                net.glorot(size * size * in, (double) size * size * in, (double) size * size), size, size, in, 1);
        Output<?> made = ops.op(
                "DepthwiseConv2dNative",
                List.of(net.now, kernel),
                "strides",
                new long[] {1, 1, 1, 1},
                "padding",
                "SAME");
        net.now = hasBias ? ops.op("BiasAdd", made, net.weight(WeightVariables.all(0, in), in)) : made;
    }

    private void squeeze(int ratio) {
        Output<?> whole = net.now;
        int[] sizes = net.sizes;
        int channels = net.last();
        Output<?> few = kit.activate("relu", net.dense(ops.mean(whole, false, 1, 2), channels, channels / ratio));
        Output<?> all = kit.activate("sigmoid", net.dense(few, channels / ratio, channels));
        net.now = ops.mul(whole, ops.reshape(all, net.batch, 1, 1, channels));
        net.sizes = sizes;
    }

    private void residual(int filters) {
        Output<?> before = net.now;
        int[] sizes = net.sizes;
        Output<?> carried = before;
        if (net.last() != filters) {
            conv(filters, 1, 1, 1, false, false);
            carried = net.batchNorm(net.now, filters);
        }
        net.now = before;
        net.sizes = sizes;
        conv(filters, 3, 3, 1, false, false);
        net.now = kit.activate("relu", net.batchNorm(net.now, filters));
        conv(filters, 3, 3, 1, false, false);
        net.now = kit.activate("relu", ops.add(net.batchNorm(net.now, filters), carried));
    }

    private void layerScale(int filters) {
        Output<?> before = net.now;
        int[] sizes = net.sizes;
        int in = net.last();
        depthwise(7, true);
        Output<?> inner = net.layerNorm(net.now, in);
        inner = kit.activate("gelu", net.dense(inner, in, 4 * filters));
        inner = net.dense(inner, 4 * filters, filters);
        inner = ops.mul(inner, net.weight(WeightVariables.all(1e-5f, filters), filters));
        net.now = before;
        conv(filters, 1, 1, 1, false, true);
        net.now = ops.add(net.now, ops.reshape(inner, net.batch, sizes[0], sizes[1], filters));
    }

    private void dilated(int distance) {
        int channels = net.last();
        Output<?> inner = kit.activate("relu", causal(net.now, channels, channels, 3, distance));
        net.now = ops.add(net.now, causal(inner, channels, channels, 1, 1));
    }

    private void pool(int size) {
        net.now = ops.op(
                "MaxPool",
                List.of(net.now),
                "ksize",
                new long[] {1, size, size, 1},
                "strides",
                new long[] {1, size, size, 1},
                "padding",
                "VALID");
        net.sizes = new int[] {net.sizes[0] / size, net.sizes[1] / size, net.last()};
    }
}
