package dev.stagesim.contract;

/** Tables of workloads of the framework profiling suite. */
public final class SuiteTables {
    public static final TableSchema OPERATORS = TableSchema.of(
            """
            operators.csv 1 | Operators of one training step of a suite workload, in order of execution.
            op_id | int 0.. | Number of the operator, from 0.
            layer | text | Number and name of its layer.
            op | text | Operation within the layer.
            op_class | text | Class; operators of one class have a similar efficiency.
            direction | text | forward, input_gradient, weight_gradient or update.
            m | int 0.. | Rows of the left operand; 0 without a product.
            n | int 0.. | Columns of the right operand.
            k | int 0.. | Length of the sum.
            count | int 0.. | Identical products.
            flops | int FLOP 0.. | Multiply-adds as two operations each.
            elementwise_flops | int FLOP 0.. | Element-wise operations.
            bytes | int bytes 0.. | Bytes of operands and results, each counted once.
            parameters | int 0.. | Weights; counted in the forward direction.
            roofline_ns | real? ns 0.. | Minimum time on the device of the workload; empty without a device.
            """,
            new RowInvariant.Increasing("op_id"));

    public static final TableSchema STEPS = TableSchema.of(
            """
            step_metrics.csv 1 | Steps of a measured suite workload, one row per step of every process.
            process | int 0.. | Number of the process, from 0.
            step | int 0.. | Number of the step within its phase group, from 0.
            phase | text | warmup, train, trace, plain (not traced, between traced ones) or infer.
            wall_ns | int ns 0.. | From the call of the step to its result, without its input.
            loss | text? | Loss as a 32-bit number, in the shortest text that reads back to it; empty for inference.
            accuracy | real? | Share of the batch that was classified correctly; empty if not recorded.
            samples | int 1.. | Samples in the batch.
            """);

    public static final TableSchema INPUTS = TableSchema.of(
            """
            input_metrics.csv 1 | Preparation of batches of a measured suite workload, one row per training step of
                    every process.
            process | int 0.. | Number of the process, from 0.
            step | int 0.. | Number of the step, from 0.
            input_ns | int ns 0.. | Time for which the step waits for its batch.
            host_calls | int 0.. | Calls of the Python input function.
            """);

    public static final TableSchema OPS = TableSchema.of(
            """
            op_metrics.csv 1 | Operations in the traced steps of a measured suite workload, by node of the
                    framework's graph.
            node | text | Name of the node, or in parentheses a kind of time outside nodes.
            layer | text | Layer of the workload; other for a node without a layer, outside for time outside nodes.
            direction | text? | forward, backward or update; empty outside nodes.
            op | text? | Framework operation; empty outside nodes.
            calls | int 0.. | Calls per step, median.
            time_ns_median | int ns 0.. | Time per step of all calls, median of steps.
            time_ns_p90 | int ns 0.. | Time per step of all calls, 90th percentile of steps.
            """);

    public static final TableSchema LAYERS = TableSchema.of(
            """
            layer_metrics.csv 1 | Measured and predicted times of a suite workload, by layer and direction.
            layer | text | Number and name of the layer.
            direction | text | forward, backward or update.
            op_class | text | Kind of operator with most of the predicted time.
            measured_ns | int ns 0.. | Sum of its operations per step, median of steps; 0 if the step was
                    compiled.
            flops | int FLOP 0.. | Work of its operators.
            bytes | int bytes 0.. | Traffic of its operators.
            roofline_ns | real ns 0.. | Minimum time at the rates that a probe of this machine reached.
            systolic_ns | real? ns 0.. | Time of its products on bench.array; empty without products.
            """);

    public static final TableSchema REPORT = TableSchema.of(
            """
            suite_workloads.csv 2 | Measured workloads of the suite and their predictions.
            label | text | Name in the suite.
            family | text | Family of the workload.
            step_ns | real ns 0.. | Median training step without tracing.
            input_ns | real ns 0.. | Median wait for a batch, not part of the step.
            infer_ns | real ns 0.. | Median forward pass.
            noise | real 0.. | Maximum median step of identical processes divided by the minimum, minus 1.
            accounted | real 0.. | Time of operations and outside them divided by the traced step; above 1 if they
                    overlap.
            xla | bool | Whether the step was compiled. If so, only whole steps are compared.
            layers_ns | real ns 0.. | Time of operations of layers; 0 without tracing.
            roofline_ns | real ns 0.. | Minimum time of the step, without fitted values.
            systolic_ns | real ns 0.. | Time of the step's products on an array, without fitted values.
            held_out_ns | real? ns 0.. | Roofline with the efficiency of each operator class, fitted on the
                    other families; empty without other families.
            roofline_fold | real? 1.. | Median error factor of a layer's roofline; empty without tracing.
            array_fold | real? 1.. | Median error factor of the array, over layers with products.
            held_out_fold | real? 1.. | Median error factor of the fitted times.
            """);

    public static final TableSchema CLASSES = TableSchema.of(
            """
            suite_classes.csv 1 | Share of the roofline that operator classes reach, over all workloads of the
                    report.
            op_class | text | Class of operators.
            layers | int 1.. | Layers and directions of the fit.
            efficiency | real 0.. | Sum of rooflines divided by the sum of measured times.
            """);

    private SuiteTables() {}
}
