package dev.stagesim.sim.serving.spec;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvSizing;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Finds, before the simulation, requests that can never be served and limits that admit no request. */
public final class Feasibility {
    private final ServingSpec spec;
    private final MemoryPlan plan;
    private final RequestTrace trace;
    private final List<Problem> problems = new ArrayList<>();

    /** Groups of layers that share blocks; empty if there is only one group. */
    private final List<KvGroup> groups;

    private final long inFlight;

    private Feasibility(ServingSpec spec, MemoryPlan plan, RequestTrace trace) {
        this.spec = spec;
        this.plan = plan;
        this.trace = trace;
        if (spec.scheduler() instanceof SchedulerSpec.VllmV1 engine
                && !engine.layers().isEmpty()) {
            groups = engine.groups();
            inFlight = engine.settings().tokensInFlight();
        } else {
            groups = List.of();
            inFlight = 0;
        }
    }

    /**
     * Returns one problem for each violated rule, with the first request that violates it; empty if all requests can
     * run.
     */
    public static List<Problem> problems(ServingSpec spec, MemoryPlan plan, RequestTrace trace) {
        Feasibility check = new Feasibility(spec, plan, trace);
        check.lengths();
        check.arrivals();
        check.batches();
        check.memory();
        check.adapters();
        return check.problems;
    }

    /** Returns a warning if the priorities of the requests and the scheduler do not match; empty if they do. */
    public static Optional<String> priorities(SchedulerSpec scheduler, RequestTrace trace) {
        boolean differ = IntStream.range(1, trace.size()).anyMatch(r -> trace.priority(r) != trace.priority(0));
        if (differ == scheduler.ordersByPriority()) {
            return Optional.empty();
        }
        return Optional.of(
                differ
                        ? "the scheduler ignores the priorities of the requests: only engine=vllm_v1 with"
                                + " scheduler.scheduling_policy=priority does"
                        : "scheduler.scheduling_policy=priority has no effect: all requests have the same priority;"
                                + " workload.labels.priorities gives them others");
    }

    private void each(IntPredicate fails, String what, String hint) {
        int first = -1;
        int count = 0;
        for (int request = 0; request < trace.size(); request++) {
            if (fails.test(request)) {
                first = count++ == 0 ? request : first;
            }
        }
        if (count > 0) {
            String who = count == 1 ? "request " + first : "request " + first + " and " + (count - 1) + " more";
            String size = " (request " + first + ": " + trace.prefillTokens(first) + " prompt and "
                    + trace.decodeTokens(first) + " output tokens)";
            problems.add(Problem.of("workload error", who, what + size).hint(hint));
        }
    }

    private void lengths() {
        each(
                r -> trace.prefillTokens(r) < 1 || trace.decodeTokens(r) < 1,
                "prompt and output need at least 1 token each",
                "drop the request or give it at least one token of each");
        each(
                r -> (long) trace.prefillTokens(r) + trace.decodeTokens(r) > spec.maxTokens(),
                "longer than the maximum sequence length of the memory plan, " + spec.maxTokens() + " tokens",
                "raise simulation.max_tokens or cap requests with workload.max_tokens");
    }

    private void arrivals() {
        each(
                r -> !(trace.arrivalSeconds(r) >= 0) || Double.isInfinite(trace.arrivalSeconds(r)),
                "the arrival time is not a number of at least 0",
                "correct the arrival times of the workload");
        each(
                r -> r > 0 && trace.arrivalSeconds(r) < trace.arrivalSeconds(r - 1),
                "arrives before the preceding request",
                "sort the workload by arrival time");
    }

    private void batches() {
        int cap = spec.scheduler().limits().batchSizeCap();
        int stages = spec.cluster().pipelineStages();
        if (cap < stages) {
            problems.add(Problem.config(
                            spec.scheduler() instanceof SchedulerSpec.VllmV1
                                    ? "scheduler.max_num_seqs"
                                    : "scheduler.batch_size_cap",
                            "is " + cap + ", less than cluster.num_pipeline_stages (" + stages
                                    + "): no batch could form")
                    .hint("raise it to at least " + stages));
        }
        spec.scheduler()
                .promptLimit()
                .ifPresent(limit -> each(
                        r -> limit.excludes(trace.prefillTokens(r)),
                        "the prompt is longer than scheduler." + limit.key() + ", " + limit.tokens()
                                + ": it would wait forever",
                        "raise scheduler." + limit.key() + ", cap prompts with workload.max_tokens, or use"
                                + " scheduler=sarathi, which runs prompts in chunks"));
    }

    private void adapters() {
        if (!trace.hasLabels() || spec.scheduler().servesAdapters()) {
            return;
        }
        long asking = IntStream.range(0, trace.size())
                .filter(request -> trace.adapter(request) > 0)
                .count();
        if (asking > 0) {
            problems.add(Problem.of(
                            "workload error",
                            "workload",
                            (asking == 1 ? "1 request requires" : asking + " requests require")
                                    + " a LoRA adapter, but the engine serves none")
                    .hint("set engine=vllm_v1 and scheduler.enable_lora=true, or workload.labels.adapters=0"));
        }
    }

    /**
     * Checks that every request fits if it is alone on a replica, at its maximum length, restarted before its last
     * token.
     */
    private void memory() {
        int block = spec.scheduler().limits().blockSize();
        boolean paged = spec.scheduler().preempts();
        boolean light = spec.scheduler() instanceof SchedulerSpec.LightLlm;
        if (spec.scheduler() instanceof SchedulerSpec.Sglang) {
            long tokens = plan.numBlocks() * block;
            each(
                    r -> (long) trace.prefillTokens(r) + trace.decodeTokens(r) + block >= tokens,
                    "does not fit the KV cache of a replica, " + tokens + " tokens with one page reserved",
                    "raise scheduler.mem_fraction_static, scheduler.max_total_tokens or cluster.tensor_parallel_size,"
                            + " or cap requests with workload.max_tokens");
            return;
        }
        // lightllm admits no request if its forecast fills the whole memory
        boolean engine = spec.scheduler() instanceof SchedulerSpec.VllmV1;
        // vLLM reserves one block as a null block; the watermark does not apply to a request that is alone
        long free = plan.numBlocks() - (light || engine ? 1 : paged ? plan.watermarkBlocks() : 0);
        String kv = "the KV cache of a replica, " + plan.numBlocks() + " blocks of " + block + " tokens"
                + (free < plan.numBlocks() ? " with " + (plan.numBlocks() - free) + " kept free" : "");
        String hint = engine
                ? "raise scheduler.gpu_memory_utilization, scheduler.num_gpu_blocks_override or"
                        + " cluster.tensor_parallel_size, or cap requests with workload.max_tokens"
                : schedulerHint(paged, light);
        if (spec.scheduler().reservesSequences()) {
            each(r -> plan.blocksPerSequence() > free, "the longest sequence does not fit " + kv, hint);
        } else {
            each(r -> blocks(r, block) > free, "does not fit " + kv, hint);
        }
    }

    private static String schedulerHint(boolean paged, boolean light) {
        return "raise cluster.tensor_parallel_size"
                + (light ? "" : ", cluster.num_pipeline_stages")
                + " or scheduler.num_blocks"
                + (paged && !light ? ", lower scheduler.watermark_blocks_fraction" : "")
                + ", or cap requests with workload.max_tokens";
    }

    private long blocks(int request, int block) {
        long length = (long) trace.prefillTokens(request) + Math.max(0, trace.decodeTokens(request) - 1);
        return groups.isEmpty() ? (length + block - 1) / block : KvSizing.blocksOf(groups, (int) length, inFlight);
    }
}
