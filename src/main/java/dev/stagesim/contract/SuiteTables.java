package dev.stagesim.contract;

/** The tables of workloads of the framework profiling suite. */
public final class SuiteTables {
    public static final TableSchema OPERATORS = TableSchema.of(
            """
            operators.csv 1 | Operators of one training step of a suite workload, in order of execution.
            op_id | int 0.. | Number of the operator, from 0.
            layer | text | Layer that it belongs to: its number and its name.
            op | text | What it does within the layer.
            op_class | text | Kind: operators of one kind are alike in efficiency.
            direction | text | forward, input_gradient, weight_gradient or update.
            m | int 0.. | Rows of the left operand; 0 where nothing is multiplied.
            n | int 0.. | Columns of the right operand.
            k | int 0.. | What is summed over.
            count | int 0.. | Equal products.
            flops | int FLOP 0.. | Multiply-adds as two operations each.
            elementwise_flops | int FLOP 0.. | Operations value by value.
            bytes | int bytes 0.. | Operands read and results written, each once.
            parameters | int 0.. | Weights of its own; counted in the forward direction.
            roofline_ns | real? ns 0.. | Least time on the device that the workload names; empty without one.
            """,
            new RowInvariant.Increasing("op_id"));

    public static final TableSchema STEPS = TableSchema.of(
            """
            step_metrics.csv 1 | Steps of a suite workload that was run: one row per step of every process.
            process | int 0.. | Number of the process, from 0.
            step | int 0.. | Number of the step within its phase group, from 0.
            phase | text | warmup, train, trace, plain (not traced, between traced ones) or infer.
            wall_ns | int ns 0.. | From the call of the step to its result, without its input.
            loss | text? | Loss as 32-bit number, in the shortest text that reads back; empty for inference.
            accuracy | real? | Share of the batch that was classified rightly; empty where it is not kept.
            samples | int 1.. | Samples of the batch.
            """);

    public static final TableSchema INPUTS = TableSchema.of(
            """
            input_metrics.csv 1 | Making the batches of a suite workload that was run: one row per training step of
                    every process.
            process | int 0.. | Number of the process, from 0.
            step | int 0.. | Number of the step, from 0.
            input_ns | int ns 0.. | Time to make the batch, which the step waits for.
            host_calls | int 0.. | Calls of the function in the host's language.
            """);

    public static final TableSchema OPS = TableSchema.of(
            """
            op_metrics.csv 1 | Operations of the traced steps of a suite workload that was run, by node of the
                    framework's graph.
            node | text | Name of the node; in parentheses, time that belongs to none.
            layer | text | Layer of the workload that it belongs to; other for none, outside for no node.
            direction | text? | forward, backward or update; empty for no node.
            op | text? | Kind of operation of the framework; empty for no node.
            calls | int 0.. | How often it ran in a step, median.
            time_ns_median | int ns 0.. | Time in a step, all calls together, median of steps.
            time_ns_p90 | int ns 0.. | The same, 90th percentile.
            """);

    public static final TableSchema LAYERS = TableSchema.of(
            """
            layer_metrics.csv 1 | Measured and predicted times of a suite workload that was run, by layer and
                    direction.
            layer | text | Layer: its number and its name.
            direction | text | forward, backward or update.
            op_class | text | Kind of operator with most of the predicted time.
            measured_ns | int ns 0.. | Sum of its operations in a step, median of steps; 0 where the step was
                    compiled.
            flops | int FLOP 0.. | Work of its operators.
            bytes | int bytes 0.. | Traffic of its operators.
            roofline_ns | real ns 0.. | Least time at the rates that a probe of this machine reached.
            systolic_ns | real? ns 0.. | Time of its products on bench.array; empty where nothing is multiplied.
            """);

    public static final TableSchema REPORT = TableSchema.of(
            """
            suite_workloads.csv 2 | Measured workloads of the suite beside what was predicted for them.
            label | text | Name in the suite.
            family | text | Family that it belongs to.
            step_ns | real ns 0.. | Median training step, not traced.
            input_ns | real ns 0.. | Median wait for a batch, beside the step.
            infer_ns | real ns 0.. | Median forward pass.
            noise | real 0.. | Greatest median step of equal processes over the least, less 1.
            accounted | real 0.. | Operations and what is outside them over the traced step; above 1 where they
                    overlap.
            xla | bool | Whether the step was compiled; then only whole steps are compared.
            layers_ns | real ns 0.. | Operations that belong to layers; 0 without tracing.
            roofline_ns | real ns 0.. | Least time of the step; nothing in it is fitted.
            systolic_ns | real ns 0.. | Time of the step's products on an array; nothing in it is fitted.
            held_out_ns | real? ns 0.. | Roofline with the efficiency of each class of operators, fitted on the
                    other families; empty where there are none.
            roofline_fold | real? 1.. | Median factor that a layer's roofline is off; empty without tracing.
            array_fold | real? 1.. | The same of the array, over layers that multiply.
            held_out_fold | real? 1.. | The same of the fitted times.
            """);

    public static final TableSchema CLASSES = TableSchema.of(
            """
            suite_classes.csv 1 | Share of the roofline that classes of operators reach, over all workloads of the
                    report.
            op_class | text | Class of operators.
            layers | int 1.. | Layers and directions that it was fitted on.
            efficiency | real 0.. | Sum of rooflines over sum of measured times.
            """);

    private SuiteTables() {}
}
