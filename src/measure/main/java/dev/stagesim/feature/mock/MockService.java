package dev.stagesim.feature.mock;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.OnlineServing;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The simulated service of a server. Maps requests of the simulation to their responses. */
final class MockService {
    private final OnlineServing serving;
    private final ServiceGauges gauges;
    private final int contextLength;
    private final @Nullable CompletionStream[] responses;
    private final List<RequestOutcome> outcomes = new ArrayList<>();
    private long arrived;
    private final List<CompletionStream> withUnsentTokens = new ArrayList<>();
    private final boolean abort;
    private long ended;
    private int tokens;
    private long oldestNs = Long.MAX_VALUE;

    /**
     * Creates an idle service.
     *
     * @param model model name in the metrics
     * @param capacity maximum number of concurrent requests
     * @param stepFactor returns a factor for the time of each step
     * @param abort true to withdraw the requests of disconnected clients
     */
    MockService(
            ServingSpec spec,
            OperatorTimes times,
            String model,
            int capacity,
            DoubleSupplier stepFactor,
            boolean abort) {
        this.abort = abort;
        this.gauges = new ServiceGauges(spec, MemoryPlan.of(spec), model);
        this.contextLength = spec.maxTokens();
        this.responses = new @Nullable CompletionStream[capacity];
        this.serving = new OnlineServing(spec, times, capacity, stepFactor, gauges, new TokenReceiver());
    }

    /** Passes simulated tokens to the responses. */
    private final class TokenReceiver implements ServingRecorder {
        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.TOKENS);
        }

        @Override
        public void tokenEmitted(int request, int index, double time) {
            CompletionStream response = response(request);
            long atNs = Math.round(time * NS_PER_S);
            response.addToken(atNs);
            gauges.token(response.isDone());
            tokens++;
            oldestNs = Math.min(oldestNs, atNs);
            if (response.unsent() == 1) {
                withUnsentTokens.add(response);
            }
            response.connection().ifPresent(MockService.this::touch);
            if (response.isDone()) {
                responses[request] = null;
                ended++;
            }
        }

        @Override
        public void requestWithdrawn(int request, double time) {
            CompletionStream response = response(request);
            responses[request] = null;
            ended++;
            if (response.unsent() == 0) {
                outcomes.add(response.outcome());
            }
        }
    }

    /** Connections with unwritten bytes. */
    final List<Connection> touched = new ArrayList<>();

    private void touch(Connection connection) {
        if (!connection.touched) {
            connection.touched = true;
            touched.add(connection);
        }
    }

    /** Returns the maximum number of prompt and output tokens of a request. */
    int contextLength() {
        return contextLength;
    }

    private CompletionStream response(int place) {
        CompletionStream response = responses[place];
        if (response == null) {
            throw new IllegalStateException("request " + place + " has no response");
        }
        return response;
    }

    /** Adds a request to the simulation. */
    void submit(
            CompletionRequest request, long nowNs, Connection connection, String clientId, String model, long created)
            throws ApiError {
        if (serving.isFull()) {
            throw ApiError.of(429, "rate_limit_exceeded", "rate_limit_exceeded", "too many requests are under way");
        }
        if (request.outputTokens() > contextLength - request.promptTokens()) {
            throw ApiError.tooLong("this model's context length is " + contextLength + " tokens, but the request has "
                    + request.promptTokens() + " prompt tokens and " + request.outputTokens() + " output tokens");
        }
        int outputTokens = (int) request.outputTokens();
        var problems = serving.problems(request.promptTokens(), outputTokens);
        if (!problems.isEmpty()) {
            throw ApiError.invalid(
                    "prompt", problems.stream().map(p -> p.what()).collect(Collectors.joining("; ")));
        }
        CompletionStream response =
                new CompletionStream(request, arrived++, nowNs, Optional.of(connection), clientId, model, created);
        response.place = serving.submit(nowNs / NS_PER_S, request.promptTokens(), outputTokens);
        responses[response.place] = response;
        gauges.submitted(request.promptTokens());
        connection.response = response;
    }

    /** Handles a client that has closed its connection. */
    void disconnect(CompletionStream response, long nowNs) {
        response.disconnect();
        if (abort && responses[response.place] == response && !response.withdrawn) {
            response.withdrawn = true;
            serving.withdraw(nowNs / NS_PER_S, response.place);
        }
    }

    void advanceTo(long nowNs) {
        serving.advanceTo(nowNs / NS_PER_S);
    }

    /** Returns the time of the next event, or {@link Long#MAX_VALUE} if none is scheduled. */
    long nextNs() {
        double next = serving.nextSeconds();
        return Double.isInfinite(next) ? Long.MAX_VALUE : (long) Math.ceil(next * NS_PER_S);
    }

    /** Records the delays of all tokens since the last call, which have been written to the sockets at {@code nowNs}. */
    void recordDelays(DelayHistogram delays, long nowNs) {
        for (CompletionStream response : withUnsentTokens) {
            response.sent(nowNs);
            if (responses[response.place] != response) {
                outcomes.add(response.outcome());
            }
        }
        withUnsentTokens.clear();
        if (tokens > 0) {
            delays.add(nowNs - oldestNs, tokens);
        }
        tokens = 0;
        oldestNs = Long.MAX_VALUE;
    }

    /** Returns the number of requests that were completed or withdrawn. */
    long ended() {
        return ended;
    }

    String gauges() {
        return gauges.text(serving.inProgress());
    }

    /** Returns the outcomes of all requests in order of arrival. */
    List<RequestOutcome> outcomes() {
        List<RequestOutcome> all = new ArrayList<>(outcomes);
        Arrays.stream(responses).filter(Objects::nonNull).forEach(open -> all.add(open.outcome()));
        all.sort(Comparator.comparingLong(RequestOutcome::number));
        return all;
    }

    /** Metrics of the simulated service in Prometheus format, with the names of vLLM. */
    private static final class ServiceGauges implements ServingRecorder {
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

        String text(int inProgress) {
            int queued = 0;
            long used = 0;
            long all = 0;
            for (int i = 0; i < waiting.length; i++) {
                queued += waiting[i];
                used += allocated[i];
                all += total[i];
            }
            StringBuilder out = new StringBuilder("# TYPE vllm:cache_config_info gauge\n" + cache);
            put(
                    out,
                    "vllm:num_requests_running",
                    "gauge",
                    "Requests with allocated KV blocks.",
                    Math.max(0, inProgress - queued));
            put(out, "vllm:num_requests_waiting", "gauge", "Requests that wait for KV blocks.", queued);
            put(
                    out,
                    "vllm:kv_cache_usage_perc",
                    "gauge",
                    "Share of the KV blocks in use.",
                    all == 0 ? 0 : (double) used / all);
            put(out, "vllm:prompt_tokens_total", "counter", "Prompt tokens received.", prompts);
            put(out, "vllm:generation_tokens_total", "counter", "Output tokens generated.", tokens);
            put(out, "vllm:request_success_total", "counter", "Completed requests.", done);
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
}
