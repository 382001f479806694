package dev.stagesim.sim.suite;

import dev.stagesim.sim.suite.Draft.Shape;
import dev.stagesim.sim.suite.GraphBuilder.Traffic;

/** Recurrent layers over sequences ({@code steps x features}). */
final class RecurrentRules {
    private static final int LSTM_GATES = 4;
    private static final int GRU_GATES = 3;

    private RecurrentRules() {}

    static Tensor lstm(Tensor input, Call call, GraphBuilder graph) {
        lstm(input, call.whole(0), "cell", graph);
        return out(input, call, 1);
    }

    static Tensor lstmBothWays(Tensor input, Call call, GraphBuilder graph) {
        lstm(input, call.whole(0), "forwards", graph);
        lstm(input, call.whole(0), "backwards", graph);
        return out(input, call, 2);
    }

    static Tensor gru(Tensor input, Call call, GraphBuilder graph) {
        gru(input, call.whole(0), "cell", graph);
        return out(input, call, 1);
    }

    static Tensor gruBothWays(Tensor input, Call call, GraphBuilder graph) {
        gru(input, call.whole(0), "forwards", graph);
        gru(input, call.whole(0), "backwards", graph);
        return out(input, call, 2);
    }

    private static Tensor out(Tensor input, Call call, int ways) {
        int width = ways * call.whole(0);
        return call.has("seq")
                ? input.withLast(width).trained()
                : input.shaped(width).trained();
    }

    /** One kernel for all steps: input and state are multiplied together, and all gradients are always computed. */
    private static void lstm(Tensor input, int units, String op, GraphBuilder graph) {
        LayerKind.rank(input, 2, "a sequence (steps x features)");
        long batch = graph.batch();
        long steps = input.dim(0);
        long width = (long) input.last() + units;
        long gates = (long) LSTM_GATES * units;
        graph.product(
                op,
                OpClass.RECURRENT,
                new Shape(batch, gates, width),
                steps,
                batch * steps * width * gates,
                new Traffic(batch * steps * width, width * gates, batch * steps * units, (width + 1) * gates),
                steps);
        graph.each(op + "_gates", Elementwise.GATES, batch * steps * units, batch * steps * units, 0, true);
    }

    /** Step by step, the reset gate behind the product: all inputs at once, states one after the other. */
    private static void gru(Tensor input, int units, String op, GraphBuilder graph) {
        LayerKind.rank(input, 2, "a sequence (steps x features)");
        long batch = graph.batch();
        long steps = input.dim(0);
        long width = input.last();
        long gates = (long) GRU_GATES * units;
        graph.product(
                op + "_input",
                OpClass.RECURRENT,
                new Shape(batch * steps, gates, width),
                1,
                new Traffic(batch * steps * width, width * gates, batch * steps * gates, (width + 1) * gates),
                input.differentiable());
        // The state before the first step is a constant, so nothing flows back to it.
        graph.product(
                op + "_state",
                OpClass.RECURRENT,
                new Shape(batch, gates, units),
                steps,
                batch * steps * units * gates,
                new Traffic(batch * steps * units, units * gates, batch * steps * units, (units + 1L) * gates),
                steps - 1);
        graph.each(op + "_gates", Elementwise.GATES, batch * steps * units, batch * steps * units, 0, true);
    }
}
