package dev.stagesim.feature.suite.graph;

import dev.stagesim.feature.suite.graph.ForwardOperator.Shape;

/** Embeddings, attention and encoder blocks over sequences ({@code steps x features}). */
final class AttentionRules {
    private static final String SEQUENCE = "a sequence (steps x features)";

    private AttentionRules() {}

    static Tensor embedding(Tensor input, LayerCall call, GraphBuilder graph) {
        LayerKind.rank(input, 1, "numbers of tokens");
        int width = call.whole(1);
        graph.lookup("rows", graph.batch() * input.size(), width, (long) call.whole(0) * width);
        return new Tensor(java.util.List.of(input.dim(0), width), true);
    }

    static Tensor rotary(Tensor input, LayerCall call, GraphBuilder graph) {
        graph.each("rotate", Elementwise.ROTATE, input, 0);
        return input;
    }

    static Tensor multiHead(Tensor input, LayerCall call, GraphBuilder graph) {
        return attention(input, call.whole(0), call.whole(1), 0, graph);
    }

    private static Tensor attention(Tensor input, int heads, int width, double dropout, GraphBuilder graph) {
        LayerKind.rank(input, 2, SEQUENCE);
        int inner = heads * width;
        long steps = input.dim(0);
        long products = graph.batch() * heads;
        DenseRules.dense(input, inner, true, "query", graph);
        DenseRules.dense(input, inner, true, "key", graph);
        DenseRules.dense(input, inner, true, "value", graph);
        long scores = products * steps * steps;
        graph.pair("score", new Shape(steps, steps, width), products);
        graph.each("softmax", Elementwise.SOFTMAX, scores, scores, 0, true);
        if (dropout > 0) {
            graph.each("attention_dropout", Elementwise.DROPOUT, scores, scores, 0, true);
        }
        graph.pair("context", new Shape(steps, width, steps), products);
        return DenseRules.dense(input.withLast(inner).trained(), input.last(), true, "output", graph);
    }

    static Tensor encoder(Tensor input, LayerCall call, GraphBuilder graph) {
        double dropout = call.args().size() > 3 ? call.fraction(3) : 0;
        double attentionDropout = call.args().size() > 4 ? call.fraction(4) : 0;
        Tensor attended = attention(input, call.whole(0), call.whole(1), attentionDropout, graph);
        return rest(attended, call.whole(2), dropout, graph);
    }

    /** An encoder block that shares its attention weights with the first encoder block. */
    static Tensor sharedEncoder(Tensor input, LayerCall call, GraphBuilder graph) {
        graph.sharing("attention", () -> attention(input, call.whole(0), call.whole(1), 0, graph));
        return rest(input.trained(), call.whole(2), 0, graph);
    }

    /** Rest of a block after attention: residual, norm, two dense layers, residual, norm. */
    private static Tensor rest(Tensor attended, int units, double dropout, GraphBuilder graph) {
        int width = attended.last();
        DenseRules.dropout(attended, dropout, "dropout1", graph);
        graph.each("add1", Elementwise.ADD, attended, 0);
        Tensor normed = DenseRules.norm(attended, "norm1", graph);
        Tensor inner = DenseRules.dense(normed, units, true, "expand", graph);
        graph.each("gelu", Elementwise.GELU, inner, 0);
        Tensor out = DenseRules.dense(inner, width, true, "contract", graph);
        DenseRules.dropout(out, dropout, "dropout2", graph);
        graph.each("add2", Elementwise.ADD, out, 0);
        return DenseRules.norm(out, "norm2", graph);
    }

    /** Self-attention without weights. */
    static Tensor dot(Tensor input, LayerCall call, GraphBuilder graph) {
        LayerKind.rank(input, 2, SEQUENCE);
        long steps = input.dim(0);
        graph.pair("score", new Shape(steps, steps, input.last()), graph.batch());
        graph.each(
                "softmax",
                Elementwise.SOFTMAX,
                graph.batch() * steps * steps,
                graph.batch() * steps * steps,
                0,
                input.differentiable());
        graph.pair("context", new Shape(steps, input.last(), steps), graph.batch());
        return input;
    }
}
