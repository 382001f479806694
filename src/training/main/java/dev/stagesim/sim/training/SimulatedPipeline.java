package dev.stagesim.sim.training;

import dev.stagesim.sim.training.schedule.PipelineOrder;
import dev.stagesim.sim.training.schedule.StageTimes;
import dev.stagesim.sim.training.schedule.Timeline;

/**
 * A strategy's pipeline, simulated operation by operation.
 *
 * @param candidate strategy with its closed-form estimate
 * @param order operations of each rank
 * @param timeline start and end times of the operations
 * @param step seconds per step with the simulated makespan instead of the closed form
 */
public record SimulatedPipeline(
        StrategySearch.Candidate candidate, PipelineOrder order, Timeline timeline, double step) {
    /** Simulates the pipeline of a candidate. Overlapped pairs take the sum of their times: no speed-up is assumed. */
    public static SimulatedPipeline of(StrategySearch.Candidate candidate, int globalBatch) {
        Strategy s = candidate.strategy();
        StepEstimate.Stages times = candidate.step().stages();
        PipelineOrder order = s.schedule().order(s.pipeline(), s.microBatches(globalBatch), s.virtual());
        int stages = order.stages();
        double[] pair = new double[stages];
        double[] forward = new double[stages];
        double[] input = new double[stages];
        double[] weight = new double[stages];
        // Schedules with fixed chunks split the estimate of a rank evenly over its stages.
        int parts = stages / times.forward().length;
        for (int i = 0; i < stages; i++) {
            int from = i / Math.max(1, parts);
            forward[i] = times.forward()[from] / Math.max(1, parts);
            input[i] = times.input()[from] / Math.max(1, parts);
            weight[i] = times.weight()[from] / Math.max(1, parts);
            pair[i] = forward[i] + input[i] + weight[i];
        }
        Timeline timeline = Timeline.of(order, new StageTimes(forward, input, weight, pair, times.transfer()));
        double rest = candidate.step().step() - ClosedForm.makespan(s, s.microBatches(globalBatch), times);
        return new SimulatedPipeline(candidate, order, timeline, timeline.makespan() + rest);
    }
}
