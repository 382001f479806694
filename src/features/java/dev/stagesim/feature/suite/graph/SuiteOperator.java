package dev.stagesim.feature.suite.graph;

/**
 * One operator of a training step.
 *
 * @param layer layer that it belongs to: its number from 1 and its name
 * @param op what it does within the layer
 * @param type kind
 * @param direction part of the step
 * @param m rows of the left operand, 0 where nothing is multiplied
 * @param n columns of the right operand
 * @param k what is summed over
 * @param count equal products
 * @param flops multiply-adds as two operations each
 * @param elementwiseFlops operations value by value
 * @param bytes operands read and results written, each once
 * @param parameters weights that the operator owns; those shared with an earlier one are not counted again
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
        return layer + "/" + op + "/" + direction.name().toLowerCase(java.util.Locale.ROOT);
    }
}
