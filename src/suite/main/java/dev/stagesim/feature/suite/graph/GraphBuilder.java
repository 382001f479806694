package dev.stagesim.feature.suite.graph;

import dev.stagesim.feature.suite.graph.ForwardOperator.Shape;
import dev.stagesim.feature.suite.graph.ForwardOperator.Traffic;
import dev.stagesim.workload.TfWorkload.Optimizer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Collects the operators of a step while its layers are read. */
final class GraphBuilder {
    private final SuiteOptions options;
    private final List<ForwardOperator> drafts = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final Map<String, Tensor> saved = new LinkedHashMap<>();
    private final Set<String> shared = new LinkedHashSet<>();
    private String layer = "";
    private boolean isOwned = true;

    GraphBuilder(SuiteOptions options) {
        this.options = options;
    }

    SuiteOptions options() {
        return options;
    }

    long batch() {
        return options.batch();
    }

    void begin(String name) {
        layer = name;
    }

    String layer() {
        return layer;
    }

    void note(String text) {
        notes.add(text);
    }

    void save(String name, Tensor tensor) {
        saved.put(name, tensor);
    }

    Optional<Tensor> saved(String name) {
        return Optional.ofNullable(saved.get(name));
    }

    /** Runs a part with shared weights; the first part with a given name owns them. */
    void sharing(String name, Runnable part) {
        isOwned = shared.add(name);
        part.run();
        isOwned = true;
    }

    /** Adds a product of inputs and weights, {@code count} times. */
    void product(String op, OpClass type, Shape shape, long count, Traffic traffic, boolean inputGradient) {
        product(op, type, shape, count, Math.multiplyExact(shape.macs(), count), traffic, inputGradient ? count : 0);
    }

    /** Overload with given work and a given number of input-gradient products. */
    void product(String op, OpClass type, Shape shape, long count, long macs, Traffic traffic, long inputGradients) {
        Traffic moved = isOwned ? traffic : traffic.shared();
        drafts.add(new ForwardOperator(layer, op, type, shape, count, macs, 0, 0, moved, false, inputGradients));
    }

    /** Adds a product of two activations. */
    void pair(String op, Shape shape, long count) {
        long left = shape.m() * shape.k() * count;
        long right = shape.k() * shape.n() * count;
        long macs = Math.multiplyExact(shape.macs(), count);
        Traffic traffic = new Traffic(left, right, shape.m() * shape.n() * count, 0);
        drafts.add(new ForwardOperator(layer, op, OpClass.ATTENTION, shape, count, macs, 0, 0, traffic, true, count));
    }

    /**
     * Adds an elementwise operator.
     *
     * @param values values of the batch that are processed
     * @param output values written
     * @param parameters weights of the operator
     */
    void each(String op, Elementwise kind, long values, long output, long parameters, boolean differentiable) {
        long inputGradients = differentiable || parameters > 0 ? 1 : 0;
        Traffic traffic = new Traffic(values, parameters, output, parameters);
        elementwise(op, kind.type(), values * kind.forward(), values * kind.backward(), traffic, inputGradients);
    }

    /** Overload for all values of a tensor. */
    void each(String op, Elementwise kind, Tensor tensor, long parameters) {
        long values = batch() * tensor.size();
        each(op, kind, values, values, parameters, tensor.differentiable());
    }

    /** Adds a table lookup; the gradient is accumulated into the rows. */
    void lookup(String op, long rows, int width, long parameters) {
        long values = rows * width;
        elementwise(op, OpClass.LOOKUP, 0, values, new Traffic(rows, values, values, parameters), 1);
    }

    private void elementwise(
            String op, OpClass type, long forward, long backward, Traffic traffic, long inputGradients) {
        Traffic moved = isOwned ? traffic : traffic.shared();
        drafts.add(new ForwardOperator(
                layer, op, type, Shape.NONE, 0, 0, forward, backward, moved, false, inputGradients));
    }

    OperatorGraph build() {
        int bytes = options.valueBytes();
        List<SuiteOperator> operators = new ArrayList<>();
        drafts.forEach(draft -> operators.add(draft.forward(bytes)));
        for (int i = drafts.size() - 1; i >= 0; i--) {
            operators.addAll(drafts.get(i).backward(bytes));
        }
        Map<String, Long> weights = new LinkedHashMap<>();
        drafts.forEach(draft -> weights.merge(draft.layer(), draft.traffic().parameters(), Long::sum));
        Optimizer optimizer = options.optimizer();
        weights.forEach((name, count) -> {
            if (count > 0) {
                operators.add(new SuiteOperator(
                        name,
                        "update",
                        OpClass.OPTIMIZER,
                        Direction.UPDATE,
                        0,
                        0,
                        0,
                        0,
                        0,
                        count * optimizer.flops(),
                        count * optimizer.bytes(),
                        0));
            }
        });
        return new OperatorGraph(operators, notes);
    }
}
