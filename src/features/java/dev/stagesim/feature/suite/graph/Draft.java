package dev.stagesim.feature.suite.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * An operator of the forward pass with what its gradients need.
 *
 * @param layer layer
 * @param op what it does within the layer
 * @param type kind
 * @param shape product, {@link Shape#NONE} for none
 * @param count equal products
 * @param macs multiply-adds of the forward pass, all products together
 * @param forward operations value by value of the forward pass
 * @param backward the same of the backward pass
 * @param input values read of the input
 * @param weights values read of weights, or of the second operand of a product of activations
 * @param output values written
 * @param parameters weights owned
 * @param isPair whether both operands are activations
 * @param inputGradients products of the input's gradient, 0 when it is not needed
 */
record Draft(
        String layer,
        String op,
        OpClass type,
        Shape shape,
        long count,
        long macs,
        long forward,
        long backward,
        long input,
        long weights,
        long output,
        long parameters,
        boolean isPair,
        long inputGradients) {

    /** Sizes of one product. */
    record Shape(long m, long n, long k) {
        static final Shape NONE = new Shape(0, 0, 0);

        long macs() {
            return Math.multiplyExact(Math.multiplyExact(m, n), k);
        }
    }

    private long bytes(int perValue) {
        return (input + weights + output) * perValue;
    }

    SuiteOperator forward(int perValue) {
        return made(op, Direction.FORWARD, shape, count, 2 * macs, forward, bytes(perValue), parameters);
    }

    /** The operators of the backward pass, in order. */
    List<SuiteOperator> backward(int perValue) {
        List<SuiteOperator> made = new ArrayList<>();
        Shape left = new Shape(shape.m, shape.k, shape.n);
        Shape right = new Shape(shape.k, shape.n, shape.m);
        if (shape.m == 0) {
            if (inputGradients > 0) {
                made.add(made(op, Direction.INPUT_GRADIENT, shape, 0, 0, backward, bytes(perValue), 0));
            }
            return made;
        }
        if (isPair) {
            made.add(made(op + "_left", Direction.INPUT_GRADIENT, left, count, 2 * macs, 0, bytes(perValue), 0));
            made.add(made(op + "_right", Direction.INPUT_GRADIENT, right, count, 2 * macs, 0, bytes(perValue), 0));
            return made;
        }
        made.add(made(op, Direction.WEIGHT_GRADIENT, right, count, 2 * macs, 0, bytes(perValue), 0));
        if (inputGradients > 0) {
            long work = 2 * macs / count * inputGradients;
            made.add(made(op, Direction.INPUT_GRADIENT, left, inputGradients, work, 0, bytes(perValue), 0));
        }
        return made;
    }

    private SuiteOperator made(
            String name, Direction direction, Shape size, long times, long flops, long single, long moved, long owned) {
        return new SuiteOperator(
                layer, name, type, direction, size.m, size.n, size.k, times, flops, single, moved, owned);
    }
}
