package dev.stagesim.feature.suite;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * Breakdown of a traced step, and whether its parts add up to the step; in nanoseconds.
 *
 * <p>The parts belong to the shortest traced step of all processes, which is the least disturbed one. Operations of
 * several threads overlap, so only those of a single thread add up.
 *
 * @param isOneThread true if one thread ran everything
 * @param step duration of the traced step: from the framework call to the end of its last operation; 0 if unknown
 * @param plain shortest step without tracing
 * @param operations kernels of operations
 * @param around time that the framework spends on operations before and after their kernels
 * @param between time between operations, including the writing of the trace
 * @param outside time of a framework call without computation, measured separately
 */
record FrameworkAccounting(
        boolean isOneThread,
        double step,
        double plain,
        double operations,
        double around,
        double between,
        double outside) {
    /** Maximum relative difference between the sum of the parts and the step. */
    static final double TOLERANCE = 0.05;

    static FrameworkAccounting of(List<FrameworkRun> runs, boolean isOneThread) {
        double[] plain =
                DoubleStream.concat(wall(runs, "train"), wall(runs, "plain")).toArray();
        double shortest = plain.length == 0 ? 0 : Quantiles.of(plain, 0);
        double outside = runs.stream().mapToDouble(run -> run.sessionNs).min().orElse(0);
        List<FrameworkAccounting> steps = new ArrayList<>();
        for (FrameworkRun run : runs) {
            Map<Long, List<FrameworkRun.Node>> byStep = new LinkedHashMap<>();
            run.nodes.forEach(node -> byStep.computeIfAbsent(node.step(), key -> new ArrayList<>())
                    .add(node));
            byStep.forEach((step, nodes) -> {
                if (run.calls.containsKey(step)) {
                    steps.add(parts(nodes, run.calls.get(step), outside, shortest, isOneThread));
                }
            });
        }
        return steps.stream()
                .min(Comparator.comparingDouble(FrameworkAccounting::step))
                .orElse(new FrameworkAccounting(isOneThread, 0, shortest, 0, 0, 0, 0));
    }

    private static DoubleStream wall(List<FrameworkRun> runs, String phase) {
        return runs.stream().flatMapToDouble(run -> Arrays.stream(run.wall(phase)));
    }

    private static FrameworkAccounting parts(
            List<FrameworkRun.Node> nodes, long called, double outside, double plain, boolean isOneThread) {
        List<FrameworkRun.Node> inOrder = new ArrayList<>(nodes);
        inOrder.sort(Comparator.comparingLong(FrameworkRun.Node::takenNs));
        double operations = 0;
        double around = 0;
        double between = 0;
        long done = inOrder.get(0).takenNs();
        for (FrameworkRun.Node node : inOrder) {
            operations += node.durationNs();
            around += node.beforeNs() + (double) node.afterNs();
            between += Math.max(0, node.takenNs() - done);
            done = Math.max(done, node.doneNs());
        }
        return new FrameworkAccounting(isOneThread, done - called, plain, operations, around, between, outside);
    }

    /** True if there were traced steps. */
    boolean isKnown() {
        return step > 0;
    }

    /** Sum of all parts. */
    double sum() {
        return operations + around + between + outside;
    }

    /** Sum of all parts divided by the traced step; 0 if unknown. */
    double share() {
        return isKnown() ? sum() / step : 0;
    }

    /** Kernel time divided by the shortest step without tracing; 0 if unknown. */
    double kernels() {
        return plain > 0 ? operations / plain : 0;
    }

    boolean closes() {
        return Math.abs(share() - 1) <= TOLERANCE;
    }

    JsonValue json() {
        JsonObjectBuilder out = JsonValue.object()
                .put("one_thread", isOneThread)
                .put("traced_step_ns", step)
                .put("operations_ns", operations)
                .put("around_ns", around)
                .put("between_ns", between)
                .put("outside_ns", outside)
                .put("accounted_over_step", share())
                .put("plain_step_ns", plain)
                .put("operations_over_plain_step", kernels());
        return out.put("closes", isOneThread && isKnown() ? JsonValue.of(closes()) : JsonValue.NULL)
                .build();
    }
}
