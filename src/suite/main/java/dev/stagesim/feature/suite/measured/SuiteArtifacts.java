package dev.stagesim.feature.suite.measured;

import dev.stagesim.contract.JsonArtifact;

/** JSON artifacts of measured suite workloads and of their comparisons. */
public final class SuiteArtifacts {
    /** Execution settings of a suite workload. */
    private static final String SETTING =
            """
            device | string | cpu or gpu.
            precision | string | Type of the computation.
            xla | boolean | True if XLA compiles the step.
            inter_threads | integer | Maximum number of operators that run in parallel.
            intra_threads | integer | Threads of one operator.
            batch | integer | Samples of a step.
            """;

    public static final JsonArtifact FRAMEWORK = JsonArtifact.of(
            """
            framework.json 1 | Execution of a profiling-suite workload on a framework: requested and actual
                    settings, and a check that the times add up.
            schema_version | integer | Version of this file's contract.
            label | string | Name in the suite.
            family | string | Family that it belongs to.
            requested | object | Settings that the workload requests.
              ...
            actual | object | Settings that were used.
              ...
            substitutions | strings | Deviations from the requested workload.
            tensorflow | string | Version of the framework.
            engine | string | Installed engine and its version.
            parameters | integer | Number of trained weights.
            processes | integer | Number of repetitions, each in its own process.
            build_ns | integer | Construction of the graph in the first process.
            first_step_ns | integer | First step of the first process, including one-time work.
            loss_sha256 | strings | Digest of all losses, by process.
            peak_bytes | integer | Maximum resident memory of a process.
            probe_flops_per_ns | number | Rate of a large matrix product with the threads of the run.
            probe_bytes_per_ns | number | Rate of a long sum.
            array | string | Systolic array on which systolic_ns is based.
            clock_ghz | number | Clock of that array.
            accounting | object | Breakdown of the least disturbed traced step; all 0 without traced steps.
              one_thread | boolean | True if one thread ran all operations.
              traced_step_ns | number | From the call of the framework to the end of the last operation.
              operations_ns | number | Kernels of operations.
              around_ns | number | Work of the framework before and after kernels.
              between_ns | number | Gaps between operations, including the writing of the trace.
              outside_ns | number | Call of the framework without computation, measured separately.
              accounted_over_step | number | Sum of the four divided by the traced step; more than 1 if they overlap.
              plain_step_ns | number | Shortest training step without tracing.
              operations_over_plain_step | number | operations_ns divided by plain_step_ns.
              closes | boolean? | True if the sum of the four is within 5 % of the traced step; null unless one thread ran it.
            """,
            SETTING);

    public static final JsonArtifact FRAMEWORK_COMPARISON = JsonArtifact.of(
            """
            framework_comparison.json 1 | Comparison of predictions with a measured suite workload; differences are
                    sim - real, percentages are relative to real.
            schema_version | integer | Version of this file's contract.
            label | string | Name in the suite.
            family | string | Family that it belongs to.
            real_run | string | Measured run.
            sim_run | string? | Second run; null if absent.
            xla | boolean | True if XLA compiled the step; in this case only whole steps are compared.
            device | string | Device of the measured run.
            step_ns | number | Median training step, without its input.
            input_wait_ns | number | Median wait for a batch, not part of other times.
            forward_pass_ns | number | Median forward pass.
            noise_percent | number | Relative spread of the medians of repeated measurements.
            substitutions | strings | Deviations from the requested workload.
            fitted_on | strings | Workloads of other families to which the efficiencies were fitted.
            predictions | objects | Predictions, starting with those without a fit.
              name | string | roofline, array, held_out or sim.
              ns | number | Predicted time of all covered layers.
              measured_ns | number? | Measured time of the same layers; null if only whole steps are compared.
              step_difference_percent | number? | Difference from the whole step.
              fold | number? | Median error factor of the layers; null if only whole steps are compared.
            """);

    private SuiteArtifacts() {}
}
