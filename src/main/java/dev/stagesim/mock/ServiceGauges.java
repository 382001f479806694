package dev.stagesim.mock;

import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.ServingRecorder;
import dev.stagesim.sim.serving.ServingSpec;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Figures of the simulated service as Prometheus scrapes them, under the names that vLLM gives them. */
final class ServiceGauges implements ServingRecorder {
    private final long[] allocated;
    private final long[] total;
    private final int[] waiting;
    private final String label;
    private final String cache;
    private long prompts;
    private long tokens;
    private long done;

    ServiceGauges(ServingSpec spec, MemoryPlan plan, String model) {
        int replicas = spec.cluster().replicas();
        cache = "vllm:cache_config_info{block_size=\""
                + spec.scheduler().limits().blockSize() + "\",num_gpu_blocks=\"" + plan.numBlocks() + "\"} 1\n";
        allocated = new long[replicas];
        total = new long[replicas];
        waiting = new int[replicas];
        label = "{model_name=\"" + model.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}";
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.MEMORY);
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

    void submitted(int promptTokens) {
        prompts += promptTokens;
    }

    void token(boolean last) {
        tokens++;
        done += last ? 1 : 0;
    }

    String text(int underWay) {
        int queued = 0;
        long used = 0;
        long all = 0;
        for (int i = 0; i < waiting.length; i++) {
            queued += waiting[i];
            used += allocated[i];
            all += total[i];
        }
        StringBuilder out = new StringBuilder("# TYPE vllm:cache_config_info gauge\n" + cache);
        put(out, "vllm:num_requests_running", "gauge", "Requests that hold memory.", Math.max(0, underWay - queued));
        put(out, "vllm:num_requests_waiting", "gauge", "Requests that wait for memory.", queued);
        put(
                out,
                "vllm:kv_cache_usage_perc",
                "gauge",
                "Share of the KV blocks in use.",
                all == 0 ? 0 : (double) used / all);
        put(out, "vllm:prompt_tokens_total", "counter", "Prompt tokens that came.", prompts);
        put(out, "vllm:generation_tokens_total", "counter", "Output tokens given.", tokens);
        put(out, "vllm:request_success_total", "counter", "Requests answered.", done);
        return out.toString();
    }

    private void put(StringBuilder out, String name, String type, String doc, double value) {
        String text =
                value == Math.rint(value) ? Long.toString((long) value) : String.format(Locale.ROOT, "%.6f", value);
        out.append("# HELP ").append(name).append(' ').append(doc).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        out.append(name).append(label).append(' ').append(text).append('\n');
    }
}
