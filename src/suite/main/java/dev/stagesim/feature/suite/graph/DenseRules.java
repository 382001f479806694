package dev.stagesim.feature.suite.graph;

import dev.stagesim.feature.suite.graph.ForwardOperator.Shape;
import dev.stagesim.feature.suite.graph.ForwardOperator.Traffic;
import dev.stagesim.sim.core.RandomStream;

/** Dense products and elementwise layers. */
final class DenseRules {
    private DenseRules() {}

    static Tensor dense(Tensor input, LayerCall call, GraphBuilder graph) {
        return activated(dense(input, call.whole(0), true, "product", graph), call, graph);
    }

    /** Inputs times weights, plus a bias. */
    static Tensor dense(Tensor input, int units, boolean hasBias, String op, GraphBuilder graph) {
        long rows = graph.batch() * input.rows();
        long width = input.last();
        long weights = width * units;
        graph.product(
                op,
                OpClass.MATMUL,
                new Shape(rows, units, width),
                1,
                new Traffic(rows * width, weights, rows * units, weights),
                input.differentiable());
        Tensor made = input.withLast(units).trained();
        if (hasBias) {
            graph.each(op + "_bias", Elementwise.BIAS, made, units);
        }
        return made;
    }

    static Tensor activated(Tensor input, LayerCall call, GraphBuilder graph) {
        call.activation().ifPresent(kind -> graph.each(kind.text(), kind, input, 0));
        return input;
    }

    static Tensor activation(Tensor input, LayerCall call, GraphBuilder graph) {
        if (call.activation().isEmpty()) {
            throw new LayerKind.IllegalLayer("names no activation");
        }
        return activated(input, call, graph);
    }

    static Tensor fusedRelu(Tensor input, LayerCall call, GraphBuilder graph) {
        graph.each("relu", Elementwise.RELU, input, 0);
        return input;
    }

    static Tensor dropout(Tensor input, LayerCall call, GraphBuilder graph) {
        return dropout(input, call.fraction(0), "dropout", graph);
    }

    static Tensor dropout(Tensor input, double rate, String op, GraphBuilder graph) {
        if (rate > 0) {
            graph.each(op, Elementwise.DROPOUT, input, 0);
        }
        return input;
    }

    static Tensor layerNorm(Tensor input, LayerCall call, GraphBuilder graph) {
        return norm(input, "norm", graph);
    }

    /** Normalises the innermost axis, with trainable scale and shift. */
    static Tensor norm(Tensor input, String op, GraphBuilder graph) {
        graph.each(op, Elementwise.LAYER_NORM, input, 2L * input.last());
        return input.trained();
    }

    static Tensor batchNorm(Tensor input, LayerCall call, GraphBuilder graph) {
        return batchNorm(input, "norm", graph);
    }

    static Tensor batchNorm(Tensor input, String op, GraphBuilder graph) {
        graph.each(op, Elementwise.BATCH_NORM, input, 2L * input.last());
        return input.trained();
    }

    /** Mixture of experts that all run: a gate and a unit per expert, multiplied, in parallel. */
    static Tensor experts(Tensor input, LayerCall call, GraphBuilder graph) {
        int units = call.whole(1);
        Tensor out = input;
        for (int expert = 0; expert < call.whole(0); expert++) {
            Tensor gate = dense(input, units, true, "expert" + expert + "_gate", graph);
            graph.each("expert" + expert + "_sigmoid", Elementwise.SIGMOID, gate, 0);
            out = dense(input, units, true, "expert" + expert + "_unit", graph);
            graph.each("expert" + expert + "_gelu", Elementwise.GELU, out, 0);
            graph.each("expert" + expert + "_scale", Elementwise.SCALE, out, 0);
        }
        return out.withLast(units * call.whole(0));
    }

    /** Residual block with stochastic depth: a random draw keeps or drops the block when the layers are read. */
    static Tensor stochasticDepth(Tensor input, LayerCall call, GraphBuilder graph) {
        double drawn = RandomStream.of(graph.options().seed(), "depth " + graph.layer())
                .nextDouble();
        boolean isKept = drawn < call.fraction(1);
        graph.note("block " + graph.layer() + (isKept ? " kept" : " left out"));
        if (!isKept) {
            return input;
        }
        Tensor inner = dense(input, call.whole(0), true, "product", graph);
        if (!inner.dims().equals(input.dims())) {
            throw new LayerKind.IllegalLayer("adds " + inner + " to its input of " + input);
        }
        graph.each("relu", Elementwise.RELU, inner, 0);
        graph.each("add", Elementwise.ADD, inner, 0);
        return inner;
    }

    /** Product with a sparse input: only non-zero values are multiplied. */
    static Tensor sparseDense(Tensor input, LayerCall call, GraphBuilder graph) {
        long units = call.whole(0);
        long rows = graph.batch() * input.rows();
        long width = input.last();
        long there = Math.round(call.fraction(1) * rows * width);
        graph.product(
                "product",
                OpClass.SPARSE,
                new Shape(rows, units, width),
                1,
                there * units,
                new Traffic(there, width * units, rows * units, width * units),
                input.differentiable() ? 1 : 0);
        Tensor made = input.withLast(call.whole(0)).trained();
        graph.each("bias", Elementwise.BIAS, made, units);
        return made;
    }

    static Tensor halfMask(Tensor input, LayerCall call, GraphBuilder graph) {
        graph.each("mask", Elementwise.SCALE, input, 0);
        graph.each("relu", Elementwise.RELU, input, 0);
        return input;
    }
}
