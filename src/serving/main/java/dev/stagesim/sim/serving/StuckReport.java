package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import java.util.Optional;

/** Explains why a simulation can not go on. */
final class StuckReport {
    private StuckReport() {}

    static Problem outOfBlocks(OutOfBlocksException e) {
        return Problem.of("simulation error", "scheduler", "out of KV cache: " + e.getMessage())
                .hint("raise scheduler.num_blocks (or leave it to the memory planner), lower"
                        + " scheduler.batch_size_cap, or choose a scheduler that preempts (vllm, sarathi)");
    }

    /** Names the request at the head of a queue that never moves, and the limit that holds it. */
    static Problem of(ServingSpec spec, RequestStates states, ReplicaScheduler replica, int number) {
        if (replica.waiting.isEmpty()) {
            return Problem.of("simulation error", "scheduler", "requests hold memory although all are done")
                    .hint("compat=vidur reproduces a leak of the faster_transformer scheduler; use compat=none");
        }
        int request = replica.waiting.first();
        String what = "deadlock: request " + request + " with "
                + states.prefillTokens(request) + " prompt tokens is never admitted on replica " + number
                + behind(replica.waiting.size() - 1);
        return why(spec, states.prefillTokens(request), replica, what);
    }

    private static String behind(int requests) {
        return requests == 0 ? "" : ", and " + requests + (requests == 1 ? " waits" : " wait") + " behind it";
    }

    private static Problem why(ServingSpec spec, int prompt, ReplicaScheduler replica, String what) {
        SchedulerSpec scheduler = spec.scheduler();
        Problem problem = Problem.of("simulation error", "scheduler", what);
        Optional<SchedulerSpec.PromptLimit> limit = scheduler.promptLimit().filter(most -> most.excludes(prompt));
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
                "it needs " + replica.blocksFor(prompt) + " KV blocks and more to generate; the replica has "
                        + replica.totalBlocks + ", of which " + replica.allocatedBlocks() + " are taken"
                        + (watermark > 0 ? " and a share of " + watermark + " is kept free" : "")
                        + ": raise scheduler.num_blocks or cluster.tensor_parallel_size"
                        + (watermark > 0 ? ", lower scheduler.watermark_blocks_fraction" : "")
                        + ", or cap prompts with workload.max_tokens");
    }
}
