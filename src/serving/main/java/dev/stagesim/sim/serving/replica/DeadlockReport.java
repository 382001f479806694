package dev.stagesim.sim.serving.replica;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Optional;

/** Explains why a simulation cannot continue. */
public final class DeadlockReport {
    private DeadlockReport() {}

    public static Problem outOfBlocks(OutOfBlocksException e) {
        return Problem.of("simulation error", "scheduler", "the KV cache is full: " + e.getMessage())
                .hint("raise scheduler.num_blocks (or leave it to the memory planner), lower"
                        + " scheduler.batch_size_cap, or choose a scheduler that preempts (vllm, sarathi)");
    }

    /** Reports the request at the head of a queue that never moves, and the limit that blocks it. */
    static Problem of(ServingSpec spec, RequestStates states, ReplicaScheduler replica, int number) {
        if (replica.waiting.isEmpty()) {
            return Problem.of("simulation error", "scheduler", "requests use memory although all are complete")
                    .hint("compat=vidur reproduces a leak of the faster_transformer scheduler; use compat=none");
        }
        int request = replica.waiting.first();
        String what = "deadlock: request " + request + " with "
                + states.prefillTokens(request) + " prompt tokens is never admitted on replica " + number
                + otherWaiting(replica.waiting.size() - 1);
        return why(spec, states.prefillTokens(request), replica, what);
    }

    private static String otherWaiting(int requests) {
        return requests == 0 ? "" : ", and " + requests + (requests == 1 ? " waits" : " wait") + " after it";
    }

    private static Problem why(ServingSpec spec, int prompt, ReplicaScheduler replica, String what) {
        SchedulerSpec scheduler = spec.scheduler();
        Problem problem = Problem.of("simulation error", "scheduler", what);
        Optional<SchedulerSpec.PromptLimit> limit = scheduler.promptLimit().filter(bound -> bound.excludes(prompt));
        if (limit.isPresent()) {
            return problem.hint("raise scheduler." + limit.get().key() + " (now "
                    + limit.get().tokens()
                    + "), cap prompts with workload.max_tokens, or use scheduler=sarathi, which chunks prompts");
        }
        if (scheduler.limits().batchSizeCap() < spec.cluster().pipelineStages()) {
            return problem.hint("scheduler.batch_size_cap must be at least cluster.num_pipeline_stages");
        }
        double watermark = scheduler.limits().watermark();
        return problem.hint(
                "it needs " + replica.blocksFor(prompt) + " KV blocks and more for its output; the replica has "
                        + replica.totalBlocks + ", and " + replica.allocatedBlocks() + " are in use"
                        + (watermark > 0 ? " and a share of " + watermark + " is kept free" : "")
                        + ": raise scheduler.num_blocks or cluster.tensor_parallel_size"
                        + (watermark > 0 ? ", lower scheduler.watermark_blocks_fraction" : "")
                        + ", or cap prompts with workload.max_tokens");
    }
}
