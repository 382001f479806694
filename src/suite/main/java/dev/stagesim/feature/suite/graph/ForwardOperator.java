package dev.stagesim.feature.suite.graph;

import java.util.ArrayList;
import java.util.List;

/**
 * A forward operator with the data that its gradients need.
 *
 * @param layer layer
 * @param op name within the layer
 * @param type operator class
 * @param shape matrix product, or {@link Shape#NONE}
 * @param count number of equal products
 * @param macs multiply-adds of all products in the forward pass
 * @param forward elementwise operations in the forward pass
 * @param backward elementwise operations in the backward pass
 * @param traffic values read and written
 * @param isPair true if both operands are activations
 * @param inputGradients number of products for the input gradient; 0 if it is not needed
 */
record ForwardOperator(
        String layer,
        String op,
        OpClass type,
        Shape shape,
        long count,
        long macs,
        long forward,
        long backward,
        Traffic traffic,
        boolean isPair,
        long inputGradients) {

    /** Sizes of one product. */
    record Shape(long m, long n, long k) {
        static final Shape NONE = new Shape(0, 0, 0);

        long macs() {
            return Math.multiplyExact(Math.multiplyExact(m, n), k);
        }
    }

    /**
     * Values that an operator reads and writes, for the whole batch.
     *
     * @param input values read from the input
     * @param weights values read from weights, or from the second operand of a product of activations
     * @param output values written
     * @param parameters weights that the operator owns
     */
    record Traffic(long input, long weights, long output, long parameters) {
        /** The traffic of an operator with weights that another operator owns. */
        Traffic shared() {
            return new Traffic(input, weights, output, 0);
        }
    }

    private long bytes(int perValue) {
        return (traffic.input + traffic.weights + traffic.output) * perValue;
    }

    SuiteOperator forward(int perValue) {
        return made(op, Direction.FORWARD, shape, count, 2 * macs, forward, bytes(perValue), traffic.parameters);
    }

    /** Returns the operators of the backward pass, in order. */
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
