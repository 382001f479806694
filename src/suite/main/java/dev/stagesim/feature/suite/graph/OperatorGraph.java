package dev.stagesim.feature.suite.graph;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Operators of one training step in execution order.
 *
 * @param notes decisions made while the layers were read, for example the blocks kept by a random draw
 */
public record OperatorGraph(List<SuiteOperator> operators, List<String> notes) {
    public OperatorGraph {
        operators = List.copyOf(operators);
        notes = List.copyOf(notes);
    }

    /** Number of trainable weights. */
    public long parameters() {
        return sum(SuiteOperator::parameters);
    }

    /** FLOPs of the products in the forward pass. */
    public long forwardFlops() {
        return sum(operator -> operator.direction() == Direction.FORWARD ? operator.flops() : 0);
    }

    /** FLOPs of all products in the step. */
    public long trainFlops() {
        return sum(SuiteOperator::flops);
    }

    /** Returns the operators of one direction with products. */
    public List<SuiteOperator> products(Direction direction) {
        return operators.stream()
                .filter(operator -> operator.direction() == direction && operator.m() > 0)
                .toList();
    }

    private long sum(ToLongFunction<SuiteOperator> figure) {
        return operators.stream().mapToLong(figure).sum();
    }
}
