package dev.stagesim.engine.tf.layer;

import dev.stagesim.engine.tf.graph.Ops;
import java.util.List;
import org.tensorflow.Output;
import org.tensorflow.proto.DataType;

/** Embeddings, attention and encoder blocks. */
final class Attention {
    private static final double MASKED_SCORE = -1e9;
    private static final double ROTARY_BASE = 1e4;

    private final Net net;
    private final Ops ops;
    private final Kit kit;

    Attention(Net net) {
        this.net = net;
        ops = net.ops;
        kit = new Kit(net);
    }

    void apply(String name, int[] n, double[] f) {
        switch (name) {
            case "emb" -> embedding(n[0], n[1]);
            case "rope" -> rotate();
            case "mha" -> net.now = attention(n[0], n[1], 0);
            case "enc" -> encoder(n, f.length > 3 ? f[3] : 0, f.length > 4 ? f[4] : 0);
            case "enc_shared" -> encoderSharing(n);
            case "dotattn" -> dot();
            default -> throw new IllegalArgumentException(name);
        }
    }

    private void embedding(int vocabulary, int width) {
        float[] first = net.glorot(vocabulary * width, 60, 60);
        Output<?> table = net.weight(first, vocabulary, width);
        Output<?> ids = ops.cast(net.input, DataType.DT_INT32);
        net.now = ops.op("GatherV2", List.of(table, ids, ops.whole(0)));
        net.sizes = new int[] {net.sizes[0], width};
    }

    private void rotate() {
        int steps = net.sizes[0];
        float[] cos = new float[steps];
        float[] sin = new float[steps];
        for (int t = 0; t < steps; t++) {
            cos[t] = (float) Math.cos(t / ROTARY_BASE);
            sin[t] = (float) Math.sin(t / ROTARY_BASE);
        }
        Output<?> reversed = ops.op("ReverseV2", net.now, ops.ints(2));
        Output<?> a = ops.mul(net.now, ops.cast(ops.values(cos, 1, steps, 1), net.type));
        net.now = ops.add(a, ops.mul(reversed, ops.cast(ops.values(sin, 1, steps, 1), net.type)));
    }

    private Output<?> heads(Output<?> flat, int heads, int width) {
        return ops.transpose(ops.reshape(flat, net.batch, net.sizes[0], heads, width), 0, 2, 1, 3);
    }

    private Output<?> attention(int heads, int width, double dropout) {
        int steps = net.sizes[0];
        int in = net.last();
        int inner = heads * width;
        Output<?> query = heads(net.dense(net.now, in, inner), heads, width);
        Output<?> key = heads(net.dense(net.now, in, inner), heads, width);
        Output<?> value = heads(net.dense(net.now, in, inner), heads, width);
        Output<?> scaled = ops.mul(query, ops.number(1 / Math.sqrt(width), query));
        Output<?> scores = ops.op("BatchMatMulV2", List.of(scaled, key), "adj_y", true);
        Output<?> shares = net.dropout(softmax(scores), dropout);
        Output<?> mixed = ops.op("BatchMatMulV2", shares, value);
        Output<?> rows = ops.reshape(ops.transpose(mixed, 0, 2, 1, 3), -1, inner);
        return ops.reshape(net.dense(rows, inner, in), net.batch, steps, in);
    }

    private Output<?> softmax(Output<?> scores) {
        Output<?> exact = ops.cast(scores, DataType.DT_FLOAT);
        int steps = net.sizes[0];
        if (net.has("length_mask")) {
            Output<?> isToken = ops.op("Greater", ops.cast(net.input, DataType.DT_FLOAT), ops.number(0));
            exact = ops.op(
                    "SelectV2", List.of(ops.reshape(isToken, net.batch, 1, 1, steps), exact, ops.number(MASKED_SCORE)));
        } else if (net.has("block_mask")) {
            Output<?> checkerboard = net.mask == null ? ops.checkerboard(steps) : net.mask;
            Output<?> isAttended = ops.op("Greater", ops.reshape(checkerboard, 1, 1, steps, steps), ops.number(0));
            exact = ops.op("SelectV2", List.of(isAttended, exact, ops.number(MASKED_SCORE)));
        }
        return ops.cast(ops.op("Softmax", exact), net.type);
    }

    private void encoder(int[] n, double dropout, double attentionDropout) {
        Output<?> before = net.now;
        addFeedForward(before, attention(n[0], n[1], attentionDropout), n[2], dropout);
    }

    private void encoderSharing(int[] n) {
        Output<?> before = net.now;
        Output<?>[] attended = new Output<?>[1];
        net.sharing("attention", () -> attended[0] = attention(n[0], n[1], 0));
        addFeedForward(before, attended[0], n[2], 0);
    }

    private void addFeedForward(Output<?> before, Output<?> attended, int units, double dropout) {
        int width = net.last();
        Output<?> first = net.layerNorm(ops.add(before, net.dropout(attended, dropout)), width);
        Output<?> inner = kit.activate("gelu", net.dense(first, width, units));
        Output<?> second = ops.reshape(net.dense(inner, units, width), net.batch, net.sizes[0], width);
        net.now = net.layerNorm(ops.add(first, net.dropout(second, dropout)), width);
    }

    private void dot() {
        Output<?> scores = ops.op("BatchMatMulV2", List.of(net.now, net.now), "adj_y", true);
        net.now = ops.op("BatchMatMulV2", softmax(scores), net.now);
    }
}
