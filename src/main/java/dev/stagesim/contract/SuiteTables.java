package dev.stagesim.contract;

import static dev.stagesim.contract.Column.float64;
import static dev.stagesim.contract.Column.int64;
import static dev.stagesim.contract.Column.string;

import java.util.List;

/** The tables of workloads of the framework profiling suite. */
public final class SuiteTables {
    private static final String NS = "ns";
    private static final String BYTES = "bytes";

    /** Operators of one training step. */
    public static final TableSchema OPERATORS = new TableSchema(
            "operators.csv",
            1,
            "Operators of one training step of a suite workload, in order of execution.",
            List.of(
                    int64("op_id", "", "Number of the operator, from 0.").atLeast(0),
                    string("layer", "Layer that it belongs to: its number and its name."),
                    string("op", "What it does within the layer."),
                    string("op_class", "Kind: operators of one kind are alike in efficiency."),
                    string("direction", "forward, input_gradient, weight_gradient or update."),
                    int64("m", "", "Rows of the left operand; 0 where nothing is multiplied.")
                            .atLeast(0),
                    int64("n", "", "Columns of the right operand.").atLeast(0),
                    int64("k", "", "What is summed over.").atLeast(0),
                    int64("count", "", "Equal products.").atLeast(0),
                    int64("flops", "FLOP", "Multiply-adds as two operations each.")
                            .atLeast(0),
                    int64("elementwise_flops", "FLOP", "Operations value by value.")
                            .atLeast(0),
                    int64("bytes", BYTES, "Operands read and results written, each once.")
                            .atLeast(0),
                    int64("parameters", "", "Weights of its own; counted in the forward direction.")
                            .atLeast(0),
                    float64("roofline_ns", NS, "Least time on the device that the workload names; empty without one.")
                            .atLeast(0)
                            .orEmpty()),
            List.of(new RowInvariant.Increasing("op_id")));

    private SuiteTables() {}

    /** All of them. */
    public static List<TableSchema> all() {
        return List.of(OPERATORS);
    }
}
