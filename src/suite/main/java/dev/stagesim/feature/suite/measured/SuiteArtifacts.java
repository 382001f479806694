package dev.stagesim.feature.suite.measured;

import dev.stagesim.contract.JsonArtifact;

/** JSON artifacts of measured suite workloads and of their comparisons. */
public final class SuiteArtifacts {
    /** Execution settings of a suite workload. */
    private static final String SETTING =
            """
            device | string | cpu or gpu.
            precision | string | Type that is computed with.
            xla | boolean | Whether the step is compiled.
            inter_threads | integer | Operators at once.
            intra_threads | integer | Threads of one operator.
            batch | integer | Samples of a step.
            """;

    public static final JsonArtifact FRAMEWORK = JsonArtifact.of(
            """
            framework.json 1 | How a workload of the profiling suite ran on a framework: asked for and done, and
                    whether its times add up.
            schema_version | integer | Version of this file's contract.
            label | string | Name in the suite.
            family | string | Family that it belongs to.
            requested | object | What the workload asks for.
              ...
            actual | object | What was done.
              ...
            substitutions | strings | What was done in another way than the workload asks for.
            tensorflow | string | Version of the framework.
            engine | string | Installed engine and its version.
            parameters | integer | Weights that are trained.
            processes | integer | Equal processes that ran one after the other.
            build_ns | integer | Making the graph, first process.
            first_step_ns | integer | The first step, with all that is done once; first process.
            loss_sha256 | strings | Digest of all losses, by process.
            peak_bytes | integer | Maximum resident memory of a process.
            probe_flops_per_ns | number | Rate that a large product reached with the run's threads.
            probe_bytes_per_ns | number | Rate that a long sum reached.
            array | string | Array of systolic_ns.
            clock_ghz | number | Clock of that array.
            accounting | object | Breakdown of the least disturbed traced step; all 0 without traced steps.
              one_thread | boolean | Whether one thread ran everything.
              traced_step_ns | number | From the call of the framework to the end of the last operation.
              operations_ns | number | Kernels of operations.
              around_ns | number | Work of the framework before and after kernels.
              between_ns | number | From one operation to the next, writing the trace included.
              outside_ns | number | A call of the framework that computes nothing, measured separately.
              accounted_over_step | number | Sum of the four divided by the traced step; more than 1 if they overlap.
              plain_step_ns | number | Shortest training step without tracing.
              operations_over_plain_step | number | Kernels over that step.
              closes | boolean? | Whether the four are within 5 % of the traced step; null unless one thread ran it.
            """,
            SETTING);

    public static final JsonArtifact FRAMEWORK_COMPARISON = JsonArtifact.of(
            """
            framework_comparison.json 1 | Result of comparing a measured suite workload; differences are sim - real,
                    percentages are of real.
            schema_version | integer | Version of this file's contract.
            label | string | Name in the suite.
            family | string | Family that it belongs to.
            real_run | string | Run that is compared.
            sim_run | string? | Second run; null if absent.
            xla | boolean | Whether the step was compiled; then only whole steps are compared.
            device | string | Device that it ran on.
            step_ns | number | Median training step, without its input.
            input_wait_ns | number | Median wait for a batch, not part of other times.
            forward_pass_ns | number | Median forward pass.
            noise_percent | number | How far medians of equal measurements are apart.
            substitutions | strings | What was done in another way than the workload asks for.
            fitted_on | strings | Workloads of other families that efficiencies were fitted on.
            predictions | objects | Predictions: without any fit first.
              name | string | roofline, array, held_out or sim.
              ns | number | All layers that it covers.
              measured_ns | number? | The same layers, measured; null per step only.
              step_difference_percent | number? | Difference from the whole step.
              fold | number? | Median factor that layers are off; null per step only.
            """);

    private SuiteArtifacts() {}
}
