package dev.stagesim.sim.training;

import dev.stagesim.sim.training.schedule.PipelineOrder;
import dev.stagesim.sim.training.schedule.StageTimes;
import dev.stagesim.sim.training.schedule.Timeline;

/**
 * A strategy whose pipeline was run operation by operation.
 *
 * @param candidate the strategy with its closed-form estimate
 * @param order what each rank does
 * @param timeline when it does it
 * @param step seconds of a step with this pipeline in place of the closed form
 */
public record Confirmation(StrategySearch.Candidate candidate, PipelineOrder order, Timeline timeline, double step) {
    /** Runs the pipeline of a candidate. An overlapped pair takes as long as its parts: no gain is assumed. */
    public static Confirmation of(StrategySearch.Candidate candidate, int globalBatch) {
        Strategy s = candidate.strategy();
        StepEstimate e = candidate.step();
        PipelineOrder order = s.schedule().order(s.pipeline(), s.microBatches(globalBatch), s.virtual());
        int stages = order.stages();
        double[] pair = new double[stages];
        double[] forward = new double[stages];
        double[] input = new double[stages];
        double[] weight = new double[stages];
        // A schedule that places its own chunks splits what the estimate has for a rank.
        int parts = stages / e.stageForward().length;
        for (int i = 0; i < stages; i++) {
            int from = i / Math.max(1, parts);
            forward[i] = e.stageForward()[from] / Math.max(1, parts);
            input[i] = e.stageInput()[from] / Math.max(1, parts);
            weight[i] = e.stageWeight()[from] / Math.max(1, parts);
            pair[i] = forward[i] + input[i] + weight[i];
        }
        Timeline timeline = Timeline.of(order, new StageTimes(forward, input, weight, pair, e.transfer()));
        double rest = e.step() - closedMakespan(s, e, globalBatch);
        return new Confirmation(candidate, order, timeline, timeline.makespan() + rest);
    }

    private static double closedMakespan(Strategy s, StepEstimate e, int globalBatch) {
        return ClosedForm.makespan(
                s, s.microBatches(globalBatch), e.stageForward(), e.stageInput(), e.stageWeight(), e.transfer());
    }

    /** How much longer the pipeline takes than its closed form says, as a share of the step. */
    public double difference() {
        return step / candidate.step().step() - 1;
    }
}
