package dev.stagesim.feature.mock;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Metrics of the simulated service in Prometheus format, with the names of SGLang, or of vLLM for all other engines. */
final class ServiceMetrics implements ServingRecorder {
    /** Upper bounds of times in seconds; those of vLLM, and three finer ones. */
    private static final double[] SECONDS = {
        0.001, 0.0025, 0.005, 0.0075, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40,
        80, 160, 640, 2560
    };

    private static final double[] TOKENS = {
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1e6
    };

    private final boolean sglang;
    private final MemoryPlan plan;
    private final int blockSize;
    private final String labels;
    private final long[] allocated;
    private final long[] total;
    private final int[] waiting;

    /** Simulated time at which each request was first in a batch, or NaN. */
    private final double[] scheduledAt;

    private final Map<String, Distribution> distributions = new LinkedHashMap<>();
    private final Map<String, Long> finished = new TreeMap<>();
    private long prompts;
    private long tokens;
    private long preemptions;
    private long queries;
    private long hits;

    ServiceMetrics(ServingSpec spec, MemoryPlan plan, String model, int capacity) {
        int replicas = spec.cluster().replicas();
        this.sglang = spec.scheduler() instanceof SchedulerSpec.Sglang;
        this.plan = plan;
        this.blockSize = spec.scheduler().limits().blockSize();
        String name = "model_name=\"" + model.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        this.labels =
                sglang ? "engine_type=\"unified\"," + name + ",pp_rank=\"0\",tp_rank=\"0\"" : "engine=\"0\"," + name;
        this.allocated = new long[replicas];
        this.total = new long[replicas];
        this.waiting = new int[replicas];
        this.scheduledAt = new double[capacity];
        for (String metric : sglang
                ? new String[] {
                    "time_to_first_token_seconds",
                    "inter_token_latency_seconds",
                    "e2e_request_latency_seconds",
                    "queue_time_seconds",
                    "prompt_tokens_histogram",
                    "generation_tokens_histogram"
                }
                : new String[] {
                    "time_to_first_token_seconds",
                    "inter_token_latency_seconds",
                    "e2e_request_latency_seconds",
                    "request_queue_time_seconds",
                    "request_prompt_tokens",
                    "request_generation_tokens",
                    "request_time_per_output_token_seconds",
                    "request_prefill_time_seconds",
                    "request_decode_time_seconds",
                    "request_inference_time_seconds"
                }) {
            distributions.put(metric, new Distribution(metric.endsWith("_seconds") ? SECONDS : TOKENS));
        }
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.MEMORY, Signal.BATCH_FORMED);
    }

    @Override
    public void memorySample(int replica, double time, long used, long all) {
        allocated[replica] = used;
        total[replica] = all;
    }

    @Override
    public void queueSample(int replica, double time, int queued) {
        waiting[replica] = queued;
    }

    @Override
    public void cacheLookup(int tokens, int hits, double time) {
        this.queries += tokens;
        this.hits += hits;
    }

    @Override
    public void requestRestarted(int request, double time) {
        preemptions++;
    }

    @Override
    public void batchScheduled(Batch batch, double time) {
        for (int i = 0; i < batch.size; i++) {
            int request = batch.requests[i];
            scheduledAt[request] = Double.isNaN(scheduledAt[request]) ? time : scheduledAt[request];
        }
    }

    void submitted(int place, int promptTokens) {
        scheduledAt[place] = Double.NaN;
        prompts += promptTokens;
    }

    /**
     * Records the latest token of a choice.
     *
     * @param previousNs time of the token before, or -1
     */
    void token(CompletionChoice choice, long previousNs) {
        tokens++;
        add("inter_token_latency_seconds", previousNs, choice.lastNs());
        if (choice.generated() == 1) {
            add("time_to_first_token_seconds", choice.arrivalNs(), choice.firstNs());
        }
        if (choice.isDone()) {
            finished.merge(choice.finishReason(), 1L, Long::sum);
            long scheduled = Math.round(scheduledAt[choice.place] * NS_PER_S);
            add("e2e_request_latency_seconds", choice.arrivalNs(), choice.lastNs());
            add(sglang ? "queue_time_seconds" : "request_queue_time_seconds", choice.arrivalNs(), scheduled);
            add("request_prefill_time_seconds", scheduled, choice.firstNs());
            add("request_decode_time_seconds", choice.firstNs(), choice.lastNs());
            add("request_inference_time_seconds", scheduled, choice.lastNs());
            add(sglang ? "prompt_tokens_histogram" : "request_prompt_tokens", choice.promptTokens());
            add(sglang ? "generation_tokens_histogram" : "request_generation_tokens", choice.generated());
            if (choice.generated() > 1) {
                double decode = (choice.lastNs() - choice.firstNs()) / NS_PER_S;
                add("request_time_per_output_token_seconds", decode / (choice.generated() - 1));
            }
        }
    }

    private void add(String metric, long fromNs, long toNs) {
        if (fromNs >= 0) {
            add(metric, (toNs - fromNs) / NS_PER_S);
        }
    }

    private void add(String metric, double value) {
        Distribution distribution = distributions.get(metric);
        if (distribution != null) {
            distribution.add(value);
        }
    }

    /** The values of a histogram. */
    private static final class Distribution {
        private final double[] bounds;
        private final long[] counts;
        private double sum;

        Distribution(double[] bounds) {
            this.bounds = bounds;
            this.counts = new long[bounds.length + 1];
        }

        void add(double value) {
            int bucket = Arrays.binarySearch(bounds, value);
            counts[bucket < 0 ? -bucket - 1 : bucket]++;
            sum += value;
        }

        void write(StringBuilder out, String name, String labels) {
            out.append("# TYPE ").append(name).append(" histogram\n");
            long below = 0;
            for (int i = 0; i < counts.length; i++) {
                below += counts[i];
                String bound = i == bounds.length ? "+Inf" : Double.toString(bounds[i]);
                out.append(name + "_bucket{" + labels + ",le=\"" + bound + "\"} " + below + "\n");
            }
            out.append(name + "_count{" + labels + "} " + below + "\n" + name + "_sum{" + labels + "} " + sum + "\n");
        }
    }

    String text(int inProgress) {
        long queued = Arrays.stream(waiting).sum();
        long all = Arrays.stream(total).sum();
        double usage = all == 0 ? 0 : (double) Arrays.stream(allocated).sum() / all;
        long running = Math.max(0, inProgress - queued);
        String prefix = sglang ? "sglang:" : "vllm:";
        StringBuilder out = new StringBuilder();
        if (sglang) {
            gauge(out, "sglang:num_running_reqs", running);
            gauge(out, "sglang:num_queue_reqs", queued);
            gauge(out, "sglang:token_usage", usage);
            gauge(out, "sglang:max_total_num_tokens", plan.numBlocks() * blockSize);
            counter(out, "sglang:cached_tokens_total", hits);
            counter(
                    out,
                    "sglang:num_requests_total",
                    finished.values().stream().mapToLong(Long::longValue).sum());
        } else {
            out.append("# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{block_size=\"" + blockSize
                    + "\",engine=\"0\",num_gpu_blocks=\"" + plan.numBlocks() + "\"} 1\n");
            gauge(out, "vllm:num_requests_running", running);
            gauge(out, "vllm:num_requests_waiting", queued);
            gauge(out, "vllm:kv_cache_usage_perc", usage);
            counter(out, "vllm:num_preemptions_total", preemptions);
            counter(out, "vllm:prefix_cache_queries_total", queries);
            counter(out, "vllm:prefix_cache_hits_total", hits);
            out.append("# TYPE vllm:request_success_total counter\n");
            finished.forEach((reason, count) -> out.append(
                    "vllm:request_success_total{" + labels + ",finished_reason=\"" + reason + "\"} " + count + "\n"));
        }
        counter(out, prefix + "prompt_tokens_total", prompts);
        counter(out, prefix + "generation_tokens_total", tokens);
        distributions.forEach((name, values) -> values.write(out, prefix + name, labels));
        return out.toString();
    }

    private void gauge(StringBuilder out, String name, double value) {
        String text = value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
        out.append("# TYPE " + name + " gauge\n" + name + "{" + labels + "} " + text + "\n");
    }

    private void counter(StringBuilder out, String name, long value) {
        out.append("# TYPE " + name + " counter\n" + name + "{" + labels + "} " + value + "\n");
    }
}
