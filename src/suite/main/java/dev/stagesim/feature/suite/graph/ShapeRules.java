package dev.stagesim.feature.suite.graph;

import dev.stagesim.feature.suite.graph.LayerKind.IllegalLayer;
import java.util.ArrayList;
import java.util.List;

/** Layers that rearrange values. */
final class ShapeRules {
    private ShapeRules() {}

    /** Mean of each channel or feature. */
    static Tensor mean(Tensor input, LayerCall call, GraphBuilder graph) {
        Tensor out = input.shaped(input.last());
        graph.each(
                "mean",
                Elementwise.MEAN,
                graph.batch() * input.size(),
                graph.batch() * out.size(),
                0,
                input.differentiable());
        return out;
    }

    static Tensor reshape(Tensor input, LayerCall call, GraphBuilder graph) {
        List<Integer> sizes = call.args().stream().map(Integer::valueOf).toList();
        Tensor out = new Tensor(sizes, input.differentiable());
        if (out.size() != input.size()) {
            throw new IllegalLayer("makes " + out + " of " + input + ", which has another number of values");
        }
        return out;
    }

    static Tensor flatten(Tensor input, LayerCall call, GraphBuilder graph) {
        return input.shaped(Math.toIntExact(input.size()));
    }

    /** Repeats the values at every step. */
    static Tensor repeat(Tensor input, LayerCall call, GraphBuilder graph) {
        List<Integer> sizes = new ArrayList<>(input.dims());
        sizes.add(0, call.whole(0));
        return new Tensor(sizes, input.differentiable());
    }

    static Tensor save(Tensor input, LayerCall call, GraphBuilder graph) {
        graph.save(call.args().get(0), input);
        return input;
    }

    private static Tensor saved(LayerCall call, GraphBuilder graph) {
        String name = call.args().get(0);
        return graph.saved(name)
                .orElseThrow(() -> new IllegalLayer("names '" + name + "', which no earlier save names"));
    }

    static Tensor concat(Tensor input, LayerCall call, GraphBuilder graph) {
        Tensor other = saved(call, graph);
        if (!other.withLast(1).dims().equals(input.withLast(1).dims())) {
            throw new IllegalLayer("puts " + other + " beside " + input);
        }
        return input.withLast(input.last() + other.last());
    }

    static Tensor add(Tensor input, LayerCall call, GraphBuilder graph) {
        Tensor other = saved(call, graph);
        if (!other.dims().equals(input.dims())) {
            throw new IllegalLayer("adds " + other + " to " + input);
        }
        graph.each("add", Elementwise.ADD, input, 0);
        return input;
    }

    static Tensor lastStep(Tensor input, LayerCall call, GraphBuilder graph) {
        LayerKind.rank(input, 2, "a sequence (steps x features)");
        return input.shaped(input.last());
    }
}
