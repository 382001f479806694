package dev.stagesim.sim.training;

import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.util.List;

/**
 * Values that a search may use on each axis. An empty list selects the default values of specs/training-planner.md.
 *
 * @param devices device counts
 * @param axes degrees of parallelism
 * @param zero ZeRO stages
 * @param shard sharding group sizes: replicas that share one set of states
 * @param microBatch micro-batch sizes in sequences
 * @param recompute recomputation policies
 * @param schedules pipeline schedules
 * @param memory bytes per device available for tensors
 * @param top maximum number of best candidates to keep
 */
public record SearchSpace(
        List<Integer> devices,
        Axes axes,
        List<Integer> zero,
        List<Integer> shard,
        List<Integer> microBatch,
        List<Recompute> recompute,
        List<PipelineSchedule> schedules,
        double memory,
        int top) {
    /**
     * Degrees of parallelism.
     *
     * @param tensor tensor-parallel degrees
     * @param pipeline pipeline-parallel degrees
     * @param virtual virtual stages per rank
     * @param context context-parallel degrees
     * @param expert expert-parallel degrees
     */
    public record Axes(
            List<Integer> tensor,
            List<Integer> pipeline,
            List<Integer> virtual,
            List<Integer> context,
            List<Integer> expert) {
        public Axes {
            tensor = List.copyOf(tensor);
            pipeline = List.copyOf(pipeline);
            virtual = List.copyOf(virtual);
            context = List.copyOf(context);
            expert = List.copyOf(expert);
        }
    }

    public SearchSpace {
        devices = List.copyOf(devices);
        zero = List.copyOf(zero);
        shard = List.copyOf(shard);
        microBatch = List.copyOf(microBatch);
        recompute = List.copyOf(recompute);
        schedules = List.copyOf(schedules);
    }
}
