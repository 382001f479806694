package dev.stagesim.feature.suite.graph;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The operators of one training step in the order of execution.
 *
 * @param operators operators
 * @param notes what was decided while the layers were read, for example which blocks a draw kept
 */
public record OperatorGraph(List<SuiteOperator> operators, List<String> notes) {
    public OperatorGraph {
        operators = List.copyOf(operators);
        notes = List.copyOf(notes);
    }

    /** Trainable weights. */
    public long parameters() {
        return sum(SuiteOperator::parameters);
    }

    /** Work of the products of the forward pass. */
    public long forwardFlops() {
        return sum(operator -> operator.direction() == Direction.FORWARD ? operator.flops() : 0);
    }

    /** Work of all products of the step. */
    public long trainFlops() {
        return sum(SuiteOperator::flops);
    }

    /** The operators of one direction that multiply. */
    public List<SuiteOperator> products(Direction direction) {
        return operators.stream()
                .filter(operator -> operator.direction() == direction && operator.m() > 0)
                .toList();
    }

    private long sum(ToLongFunction<SuiteOperator> figure) {
        return operators.stream().mapToLong(figure).sum();
    }
}
