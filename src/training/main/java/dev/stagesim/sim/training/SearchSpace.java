package dev.stagesim.sim.training;

import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.util.List;

/**
 * What a search may try; an empty list leaves an axis to the rules of specs/training-planner.md.
 *
 * @param devices device counts
 * @param tensor tensor-parallel degrees
 * @param pipeline pipeline-parallel degrees
 * @param virtual virtual stages
 * @param context context-parallel degrees
 * @param expert expert-parallel degrees
 * @param zero ZeRO stages
 * @param shard replicas that share one set of states
 * @param microBatch sequences of a micro-batch
 * @param recompute what is computed again
 * @param schedules pipeline schedules
 * @param memory bytes of a device that tensors may take
 * @param top how many of the best are kept
 */
public record SearchSpace(
        List<Integer> devices,
        List<Integer> tensor,
        List<Integer> pipeline,
        List<Integer> virtual,
        List<Integer> context,
        List<Integer> expert,
        List<Integer> zero,
        List<Integer> shard,
        List<Integer> microBatch,
        List<Recompute> recompute,
        List<PipelineSchedule> schedules,
        double memory,
        int top) {
    public SearchSpace {
        devices = List.copyOf(devices);
        tensor = List.copyOf(tensor);
        pipeline = List.copyOf(pipeline);
        virtual = List.copyOf(virtual);
        context = List.copyOf(context);
        expert = List.copyOf(expert);
        zero = List.copyOf(zero);
        shard = List.copyOf(shard);
        microBatch = List.copyOf(microBatch);
        recompute = List.copyOf(recompute);
        schedules = List.copyOf(schedules);
    }
}
