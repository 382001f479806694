package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvSizing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Finds, before anything is simulated, requests that could never be served and limits that admit none. */
public final class Feasibility {
    private final ServingSpec spec;
    private final MemoryPlan plan;
    private final RequestTrace trace;
    private final List<Problem> problems = new ArrayList<>();

    /** Groups of layers that share blocks, where there are several. */
    private final List<KvGroup> groups;

    private final long inFlight;

    private Feasibility(ServingSpec spec, MemoryPlan plan, RequestTrace trace) {
        this.spec = spec;
        this.plan = plan;
        this.trace = trace;
        if (spec.scheduler() instanceof SchedulerSpec.VllmV1 engine
                && !engine.layers().isEmpty()) {
            groups = engine.groups();
            inFlight = engine.settings(spec.maxTokens(), spec.cluster().pipelineStages())
                    .tokensInFlight();
        } else {
            groups = List.of();
            inFlight = 0;
        }
    }

    /** Returns one problem for each rule that is broken, with the first request that breaks it; empty when all can run. */
    public static List<Problem> problems(ServingSpec spec, MemoryPlan plan, RequestTrace trace) {
        Feasibility check = new Feasibility(spec, plan, trace);
        check.lengths();
        check.arrivals();
        check.batches();
        check.memory();
        check.adapters();
        return check.problems;
    }

    /** What to know of the requests' priorities where they and the scheduler do not agree; empty when they do. */
    public static Optional<String> priorities(SchedulerSpec scheduler, RequestTrace trace) {
        boolean differ = IntStream.range(1, trace.size()).anyMatch(r -> trace.priority(r) != trace.priority(0));
        if (differ == scheduler.ordersByPriority()) {
            return Optional.empty();
        }
        return Optional.of(
                differ
                        ? "the requests have priorities, and the scheduler ignores them: only engine=vllm_v1 with"
                                + " scheduler.scheduling_policy=priority does"
                        : "scheduler.scheduling_policy=priority has no effect: all requests have the same priority;"
                                + " workload.labels.priorities gives them others");
    }

    /** A test that a request fails. */
    private interface Test {
        boolean fails(int request);
    }

    private void each(Test test, String what, String hint) {
        int first = -1;
        int count = 0;
        for (int request = 0; request < trace.size(); request++) {
            if (test.fails(request)) {
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
                "longer than the longest sequence that memory is planned for, " + spec.maxTokens() + " tokens",
                "raise simulation.max_tokens, or cap requests with workload.max_tokens");
    }

    private void arrivals() {
        each(
                r -> !(trace.arrivalSeconds(r) >= 0) || Double.isInfinite(trace.arrivalSeconds(r)),
                "the arrival time is not a number of at least 0",
                "mend the workload's arrival times");
        each(
                r -> r > 0 && trace.arrivalSeconds(r) < trace.arrivalSeconds(r - 1),
                "arrives before the request listed ahead of it",
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
                .ifPresent(most -> each(
                        r -> most.excludes(trace.prefillTokens(r)),
                        "the prompt is longer than scheduler." + most.key() + ", " + most.tokens()
                                + ": it would wait for ever",
                        "raise scheduler." + most.key() + ", cap prompts with workload.max_tokens, or use"
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
                            (asking == 1 ? "1 request asks" : asking + " requests ask")
                                    + " for a LoRA adapter, and the engine serves none")
                    .hint("set engine=vllm_v1 and scheduler.enable_lora=true, or workload.labels.adapters=0"));
        }
    }

    /** Every request must fit when it is alone on a replica, at its longest, restarted just before its last token. */
    private void memory() {
        int block = spec.scheduler().limits().blockSize();
        boolean paged = spec.scheduler().preempts();
        boolean light = spec.scheduler() instanceof SchedulerSpec.LightLlm;
        if (spec.scheduler() instanceof SchedulerSpec.Sglang) {
            long tokens = plan.numBlocks() * block;
            each(
                    r -> (long) trace.prefillTokens(r) + trace.decodeTokens(r) + block >= tokens,
                    "does not fit the KV cache of a replica, " + tokens + " tokens with one page kept free",
                    "raise scheduler.mem_fraction_static, scheduler.max_total_tokens or cluster.tensor_parallel_size,"
                            + " or cap requests with workload.max_tokens");
            return;
        }
        // lightllm admits nothing whose forecast fills memory to the last token
        boolean engine = spec.scheduler() instanceof SchedulerSpec.VllmV1;
        // one block of an engine stands for "none"; its watermark does not count for a request that is alone
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
        long most = (long) trace.prefillTokens(request) + Math.max(0, trace.decodeTokens(request) - 1);
        return groups.isEmpty() ? (most + block - 1) / block : KvSizing.blocksOf(groups, (int) most, inFlight);
    }
}
