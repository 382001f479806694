package dev.stagesim.feature.suite.graph;

import dev.stagesim.feature.suite.graph.ForwardOperator.Shape;
import dev.stagesim.feature.suite.graph.ForwardOperator.Traffic;
import dev.stagesim.feature.suite.graph.LayerKind.IllegalLayer;

/** Convolutions over images ({@code height x width x channels}) and sequences ({@code steps x channels}). */
final class ConvRules {
    private static final String IMAGE = "an image (height x width x channels)";
    private static final String SEQUENCE = "a sequence (steps x channels)";
    private static final int RESIDUAL_SIZE = 3;
    private static final int WIDE_SIZE = 7;
    private static final int EXPANSION = 4;

    private ConvRules() {}

    /**
     * Convolution window over an image.
     *
     * @param filters output channels
     * @param height height of the window
     * @param width width of the window
     * @param stride step in both directions
     * @param isValid true if the window stays inside the image
     * @param hasBias true if a bias is added
     */
    private record Window(int filters, int height, int width, int stride, boolean isValid, boolean hasBias) {
        static Window same(int filters, int size, boolean hasBias) {
            return new Window(filters, size, size, 1, false, hasBias);
        }

        int out(int size, int window) {
            return isValid ? (size - window) / stride + 1 : (size + stride - 1) / stride;
        }
    }

    static Tensor conv(Tensor input, LayerCall call, GraphBuilder graph) {
        int size = call.whole(1);
        boolean hasWidth = call.args().size() > 2 && call.args().get(2).matches("[0-9]+");
        int width = hasWidth ? call.whole(2) : size;
        Window window = new Window(call.whole(0), size, width, call.stride(), call.has("valid"), !call.has("nobias"));
        return DenseRules.activated(conv(input, window, "conv", graph), call, graph);
    }

    private static Tensor conv(Tensor input, Window window, String op, GraphBuilder graph) {
        LayerKind.rank(input, 3, IMAGE);
        if (window.isValid && (window.height > input.dim(0) || window.width > input.dim(1))) {
            throw new IllegalLayer("has a window larger than its input of " + input);
        }
        int height = window.out(input.dim(0), window.height);
        int width = window.out(input.dim(1), window.width);
        Tensor out = new Tensor(java.util.List.of(height, width, window.filters), true);
        long pixels = graph.batch() * height * width;
        long taps = (long) window.height * window.width * input.last();
        long weights = taps * window.filters;
        graph.product(
                op,
                OpClass.CONV,
                new Shape(pixels, window.filters, taps),
                1,
                new Traffic(graph.batch() * input.size(), weights, graph.batch() * out.size(), weights),
                input.differentiable());
        if (window.hasBias) {
            graph.each(op + "_bias", Elementwise.BIAS, out, window.filters);
        }
        return out;
    }

    /** Transposed convolution: doubles height and width by spreading each input pixel over a window. */
    static Tensor transposed(Tensor input, LayerCall call, GraphBuilder graph) {
        LayerKind.rank(input, 3, IMAGE);
        int filters = call.whole(0);
        long window = (long) call.whole(1) * call.whole(1) * filters;
        long pixels = graph.batch() * input.rows();
        Tensor out = new Tensor(java.util.List.of(2 * input.dim(0), 2 * input.dim(1), filters), true);
        long weights = window * input.last();
        graph.product(
                "conv",
                OpClass.CONV,
                new Shape(pixels, window, input.last()),
                1,
                new Traffic(graph.batch() * input.size(), weights, graph.batch() * out.size(), weights),
                input.differentiable());
        graph.each("conv_bias", Elementwise.BIAS, out, filters);
        return DenseRules.activated(out, call, graph);
    }

    static Tensor causal(Tensor input, LayerCall call, GraphBuilder graph) {
        return DenseRules.activated(causal(input, call.whole(0), call.whole(1), "conv", graph), call, graph);
    }

    /** Causal convolution: each window covers the current and previous steps. */
    private static Tensor causal(Tensor input, int filters, int size, String op, GraphBuilder graph) {
        LayerKind.rank(input, 2, SEQUENCE);
        long steps = graph.batch() * input.dim(0);
        long taps = (long) size * input.last();
        Tensor out = input.withLast(filters).trained();
        graph.product(
                op,
                OpClass.CONV,
                new Shape(steps, filters, taps),
                1,
                new Traffic(graph.batch() * input.size(), taps * filters, steps * filters, taps * filters),
                input.differentiable());
        graph.each(op + "_bias", Elementwise.BIAS, out, filters);
        return out;
    }

    static Tensor depthwise(Tensor input, LayerCall call, GraphBuilder graph) {
        return DenseRules.activated(depthwise(input, call.whole(0), true, graph), call, graph);
    }

    private static Tensor depthwise(Tensor input, int size, boolean hasBias, GraphBuilder graph) {
        LayerKind.rank(input, 3, IMAGE);
        long values = graph.batch() * input.size();
        long taps = (long) size * size;
        long weights = taps * input.last();
        graph.product(
                "depthwise",
                OpClass.DEPTHWISE,
                new Shape(graph.batch() * input.rows(), 1, taps),
                input.last(),
                new Traffic(values, weights, values, weights),
                input.differentiable());
        Tensor out = input.trained();
        if (hasBias) {
            graph.each("depthwise_bias", Elementwise.BIAS, out, input.last());
        }
        return out;
    }

    static Tensor separable(Tensor input, LayerCall call, GraphBuilder graph) {
        Tensor each = depthwise(input, call.whole(1), false, graph);
        Tensor out = conv(each, Window.same(call.whole(0), 1, true), "pointwise", graph);
        return DenseRules.activated(out, call, graph);
    }

    /** Squeeze-and-excitation: scales channels by two dense layers applied to the channel means. */
    static Tensor squeezeExcite(Tensor input, LayerCall call, GraphBuilder graph) {
        LayerKind.rank(input, 3, IMAGE);
        int channels = input.last();
        if (channels < call.whole(0)) {
            throw new IllegalLayer("squeezes " + channels + " channels to nothing");
        }
        Tensor means = ShapeRules.mean(input, call, graph);
        Tensor few = DenseRules.dense(means, channels / call.whole(0), true, "squeeze", graph);
        graph.each("squeeze_relu", Elementwise.RELU, few, 0);
        Tensor all = DenseRules.dense(few, channels, true, "excite", graph);
        graph.each("excite_sigmoid", Elementwise.SIGMOID, all, 0);
        graph.each("scale", Elementwise.SCALE, input, 0);
        return input.trained();
    }

    /** Residual block of two normalised convolutions; a third one adapts the shortcut if the width changes. */
    static Tensor residual(Tensor input, LayerCall call, GraphBuilder graph) {
        int filters = call.whole(0);
        if (input.last() != filters) {
            Tensor carried = conv(input, Window.same(filters, 1, false), "shortcut", graph);
            DenseRules.batchNorm(carried, "shortcut_norm", graph);
        }
        Tensor first = conv(input, Window.same(filters, RESIDUAL_SIZE, false), "conv1", graph);
        DenseRules.batchNorm(first, "norm1", graph);
        graph.each("relu1", Elementwise.RELU, first, 0);
        Tensor second = conv(first, Window.same(filters, RESIDUAL_SIZE, false), "conv2", graph);
        DenseRules.batchNorm(second, "norm2", graph);
        graph.each("add", Elementwise.ADD, second, 0);
        graph.each("relu2", Elementwise.RELU, second, 0);
        return second;
    }

    /**
     * ConvNeXt-style block: wide depthwise convolution, norm, two dense layers and a scale per channel. The shortcut is
     * always a product.
     */
    static Tensor layerScale(Tensor input, LayerCall call, GraphBuilder graph) {
        int filters = call.whole(0);
        Tensor inner = depthwise(input, WIDE_SIZE, true, graph);
        inner = DenseRules.norm(inner, "norm", graph);
        inner = DenseRules.dense(inner, EXPANSION * filters, true, "expand", graph);
        graph.each("gelu", Elementwise.GELU, inner, 0);
        inner = DenseRules.dense(inner, filters, true, "contract", graph);
        graph.each("scale", Elementwise.SCALE, inner, filters);
        conv(input, Window.same(filters, 1, true), "shortcut", graph);
        graph.each("add", Elementwise.ADD, inner, 0);
        return inner;
    }

    /** Residual block with a dilated convolution and a 1-wide convolution. */
    static Tensor dilated(Tensor input, LayerCall call, GraphBuilder graph) {
        int channels = input.last();
        Tensor inner = causal(input, channels, RESIDUAL_SIZE, "dilated", graph);
        graph.each("relu", Elementwise.RELU, inner, 0);
        inner = causal(inner, channels, 1, "pointwise", graph);
        graph.each("add", Elementwise.ADD, inner, 0);
        return inner;
    }

    static Tensor maxPool(Tensor input, LayerCall call, GraphBuilder graph) {
        LayerKind.rank(input, 3, IMAGE);
        int size = call.whole(0);
        if (input.dim(0) < size || input.dim(1) < size) {
            throw new IllegalLayer("has a window larger than its input of " + input);
        }
        Tensor out = input.shaped(input.dim(0) / size, input.dim(1) / size, input.last());
        graph.each(
                "pool",
                Elementwise.MAX_POOL,
                graph.batch() * input.size(),
                graph.batch() * out.size(),
                0,
                input.differentiable());
        return out;
    }
}
