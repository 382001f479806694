package dev.stagesim.engine.tf.layer;

import dev.stagesim.engine.tf.graph.Loops;
import dev.stagesim.engine.tf.graph.Ops;
import java.util.ArrayList;
import java.util.List;
import org.tensorflow.Operation;
import org.tensorflow.Output;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.proto.AttrValue;
import org.tensorflow.proto.DataType;

/**
 * An LSTM as framework loops, for compiled steps: XLA has no LSTM kernel, and compiling an unrolled LSTM takes minutes.
 * The backward pass is a separate loop, because the framework cannot differentiate loops.
 *
 * <p>The states of all steps are stored. The first axis is the step; the gate order is input, forget, new value,
 * output.
 */
final class LstmLoop {
    private static final int GATES = 4;

    private final Ops ops;
    private final int steps;
    private final int batch;
    private final int units;
    private final DataType type;

    /** Results of the forward loop: outputs, cell states and activated gates of all steps. */
    record Run(Output<?> states, Output<?> cells, Output<?> gates) {}

    /** Gradients of the values, the weight and the bias. */
    record Gradients(Output<?> values, Output<?> weight, Output<?> bias) {}

    LstmLoop(Ops ops, int steps, int batch, int units, DataType type) {
        this.ops = ops;
        this.steps = steps;
        this.batch = batch;
        this.units = units;
        this.type = type;
    }

    /**
     * Runs over all steps.
     *
     * @param projected input values times the upper rows of the weight, plus the bias
     * @param recurrent lower rows of the weight
     */
    Run forward(Output<?> projected, Output<?> recurrent) {
        Shape row = Shape.of(batch, units);
        List<DataType> types = new ArrayList<>(List.of(DataType.DT_INT32));
        List<Shape> shapes = new ArrayList<>(List.of(Shape.scalar(), row, row));
        shapes.addAll(List.of(
                Shape.of(steps, batch, units),
                Shape.of(steps, batch, units),
                Shape.of(steps, batch, (long) GATES * units),
                Shape.of(steps, batch, (long) GATES * units),
                Shape.of(units, (long) GATES * units)));
        while (types.size() < shapes.size()) {
            types.add(type);
        }
        AttrValue body = ops.library.define("lstm", types, shapes, this::forwardBody);
        Output<?> zero = zeros(batch, units);
        List<Output<?>> first = List.of(
                ops.whole(0),
                zero,
                zero,
                zeros(steps, batch, units),
                zeros(steps, batch, units),
                zeros(steps, batch, GATES * units),
                projected,
                recurrent);
        Operation loop = Loops.loop(ops, first, types, shapes, steps, body);
        return new Run(loop.output(3), loop.output(4), loop.output(5));
    }

    private List<Output<?>> forwardBody(Ops inner, List<Output<?>> of) {
        Output<?> at = of.get(0);
        Output<?> sum = inner.add(row(inner, of.get(6), at), inner.op("MatMul", of.get(1), of.get(7)));
        Operation split = inner.add("Split", List.of(inner.whole(1), sum), "num_split", GATES);
        Output<?> in = inner.op("Sigmoid", split.output(0));
        Output<?> forget = inner.op("Sigmoid", split.output(1));
        Output<?> fresh = inner.op("Tanh", split.output(2));
        Output<?> out = inner.op("Sigmoid", split.output(3));
        Output<?> cell = inner.add(inner.mul(forget, of.get(2)), inner.mul(in, fresh));
        Output<?> state = inner.mul(out, inner.op("Tanh", cell));
        Output<?> gates = inner.concat(1, List.of(in, forget, fresh, out));
        return List.of(
                inner.add(at, inner.whole(1)),
                state,
                cell,
                put(inner, of.get(3), state, at),
                put(inner, of.get(4), cell, at),
                put(inner, of.get(5), gates, at),
                inner.op("Identity", of.get(6)),
                inner.op("Identity", of.get(7)));
    }

    /**
     * Runs backwards over all steps.
     *
     * @param gradient gradients of the states
     * @param values inputs of the forward pass
     */
    Gradients backward(Run run, Output<?> gradient, Output<?> values, Output<?> weight, int in) {
        Output<?> upper = ops.op("Slice", List.of(weight, ops.ints(0, 0), ops.ints(in, GATES * units)));
        Output<?> recurrent = ops.op("Slice", List.of(weight, ops.ints(in, 0), ops.ints(units, GATES * units)));
        Shape row = Shape.of(batch, units);
        Shape states = Shape.of(steps, batch, units);
        Shape gates = Shape.of(steps, batch, (long) GATES * units);
        List<Shape> shapes = List.of(
                Shape.scalar(), row, row, gates, states, states, states, gates, Shape.of(units, (long) GATES * units));
        List<DataType> types = new ArrayList<>(List.of(DataType.DT_INT32));
        while (types.size() < shapes.size()) {
            types.add(type);
        }
        Output<?> zero = zeros(batch, units);
        Output<?> cellsBefore = before(run.cells);
        List<Output<?>> first = List.of(
                ops.whole(0),
                zero,
                zero,
                zeros(steps, batch, GATES * units),
                gradient,
                run.cells,
                cellsBefore,
                run.gates,
                recurrent);
        AttrValue body = ops.library.define("lstm_gradient", types, shapes, this::backwardBody);
        Output<?> inner = Loops.loop(ops, first, types, shapes, steps, body).output(3);
        Output<?> flat = ops.reshape(inner, steps * batch, GATES * units);
        Output<?> both = ops.concat(2, List.of(values, before(run.states)));
        Output<?> rows = ops.reshape(both, steps * batch, in + units);
        Output<?> back = ops.op("MatMul", List.of(flat, upper), "transpose_b", true);
        return new Gradients(
                ops.reshape(back, steps, batch, in),
                ops.op("MatMul", List.of(rows, flat), "transpose_a", true),
                ops.sum(flat, false, 0));
    }

    private List<Output<?>> backwardBody(Ops inner, List<Output<?>> of) {
        Output<?> at = inner.sub(inner.whole(steps - 1), of.get(0));
        Operation gates = inner.add("Split", List.of(inner.whole(1), row(inner, of.get(7), at)), "num_split", GATES);
        Output<?> in = gates.output(0);
        Output<?> forget = gates.output(1);
        Output<?> fresh = gates.output(2);
        Output<?> out = gates.output(3);
        Output<?> shown = inner.op("Tanh", row(inner, of.get(5), at));
        Output<?> state = inner.add(of.get(1), row(inner, of.get(4), at));
        Output<?> cell = inner.add(of.get(2), inner.mul(inner.mul(state, out), rest(inner, inner.mul(shown, shown))));
        Output<?> all = inner.concat(
                1,
                List.of(
                        inner.mul(inner.mul(cell, fresh), slope(inner, in)),
                        inner.mul(inner.mul(cell, row(inner, of.get(6), at)), slope(inner, forget)),
                        inner.mul(inner.mul(cell, in), rest(inner, inner.mul(fresh, fresh))),
                        inner.mul(inner.mul(state, shown), slope(inner, out))));
        List<Output<?>> next = new ArrayList<>(List.of(
                inner.add(of.get(0), inner.whole(1)),
                inner.op("MatMul", List.of(all, of.get(8)), "transpose_b", true),
                inner.mul(cell, forget),
                put(inner, of.get(3), all, at)));
        of.subList(4, of.size()).forEach(one -> next.add(inner.op("Identity", one)));
        return next;
    }

    private Output<?> rest(Ops inner, Output<?> value) {
        return inner.sub(inner.number(1, value), value);
    }

    /** Derivative of a gate, computed from its value. */
    private Output<?> slope(Ops inner, Output<?> gate) {
        return inner.mul(gate, rest(inner, gate));
    }

    /** Previous state of each step: zeros, then all except the last. */
    private Output<?> before(Output<?> all) {
        Output<?> most = ops.op("Slice", List.of(all, ops.ints(0, 0, 0), ops.ints(steps - 1, batch, units)));
        return ops.concat(0, List.of(zeros(1, batch, units), most));
    }

    private static Output<?> row(Ops inner, Output<?> all, Output<?> at) {
        return inner.op("GatherV2", List.of(all, at, inner.whole(0)));
    }

    private static Output<?> put(Ops inner, Output<?> all, Output<?> row, Output<?> at) {
        Output<?> begin = inner.op("Pack", List.of(List.of(at, inner.whole(0), inner.whole(0))), "axis", 0);
        return inner.op("XlaDynamicUpdateSlice", List.of(all, inner.op("ExpandDims", row, inner.whole(0)), begin));
    }

    private Output<?> zeros(int... sizes) {
        return ops.op("Fill", ops.ints(sizes), ops.cast(ops.number(0), type));
    }
}
