package dev.stagesim.feature.suite.graph;

import dev.stagesim.model.KeyNames;

/**
 * One operator of a training step.
 *
 * @param layer number (from 1) and name of its layer
 * @param op name within the layer
 * @param type operator class
 * @param direction phase of the step
 * @param m rows of the left operand, 0 if there is no product
 * @param n columns of the right operand
 * @param k summed dimension
 * @param count number of equal products
 * @param flops operations of the products, two per multiply-add
 * @param elementwiseFlops elementwise operations
 * @param bytes operands read and results written, each counted once
 * @param parameters weights that the operator owns; shared weights count only for their first operator
 */
public record SuiteOperator(
        String layer,
        String op,
        OpClass type,
        Direction direction,
        long m,
        long n,
        long k,
        long count,
        long flops,
        long elementwiseFlops,
        long bytes,
        long parameters) {
    /** Name that is unique within a step. */
    public String name() {
        return layer + "/" + op + "/" + KeyNames.constant(direction);
    }
}
