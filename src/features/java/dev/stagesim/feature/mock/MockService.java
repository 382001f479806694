package dev.stagesim.feature.mock;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.OnlineServing;
import dev.stagesim.sim.serving.ServingRecorder;
import dev.stagesim.sim.serving.ServingSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The simulated service behind a server: answers by the place of their request. */
public final class MockService {
    private final OnlineServing serving;
    private final ServiceGauges gauges;
    private final int longest;
    private final @Nullable Answer[] answers;
    private final List<Served> served = new ArrayList<>();
    private long arrived;
    private final List<Answer> fresh = new ArrayList<>();
    private final boolean abort;
    private long ended;
    private int tokens;
    private long oldestNs = Long.MAX_VALUE;

    /**
     * An idle service.
     *
     * @param model name in the figures
     * @param capacity most requests under way
     * @param stepFactor what the time of each step is multiplied with
     * @param abort whether the request of a client that has gone is given up, else it runs to its end
     */
    public MockService(
            ServingSpec spec,
            OperatorTimes times,
            String model,
            int capacity,
            DoubleSupplier stepFactor,
            boolean abort) {
        this.abort = abort;
        this.gauges = new ServiceGauges(spec, MemoryPlan.of(spec), model);
        this.longest = spec.maxTokens();
        this.answers = new @Nullable Answer[capacity];
        this.serving = new OnlineServing(spec, times, capacity, stepFactor, gauges, new Tokens());
    }

    /** Hands tokens to their answers. */
    private final class Tokens implements ServingRecorder {
        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.TOKENS);
        }

        @Override
        public void tokenEmitted(int request, int index, double time) {
            Answer answer = answer(request);
            long atNs = Math.round(time * NS_PER_S);
            answer.token(atNs);
            gauges.token(answer.isDone());
            tokens++;
            oldestNs = Math.min(oldestNs, atNs);
            if (answer.unsent() == 1) {
                fresh.add(answer);
            }
            answer.connection().ifPresent(MockService.this::touch);
            if (answer.isDone()) {
                answers[request] = null;
                ended++;
            }
        }

        @Override
        public void requestWithdrawn(int request, double time) {
            Answer answer = answer(request);
            answers[request] = null;
            ended++;
            if (answer.unsent() == 0) {
                served.add(answer.served());
            }
        }
    }

    /** Connections that have something to write. */
    final List<Connection> touched = new ArrayList<>();

    private void touch(Connection connection) {
        if (!connection.touched) {
            connection.touched = true;
            touched.add(connection);
        }
    }

    /** Longest sequence. */
    int longest() {
        return longest;
    }

    private Answer answer(int place) {
        Answer answer = answers[place];
        if (answer == null) {
            throw new IllegalStateException("a token for nobody");
        }
        return answer;
    }

    /** Takes a request that has come at a time. */
    void submit(Ask ask, long nowNs, Connection connection, String clientId, String model, long created)
            throws Refusal {
        if (serving.isFull()) {
            throw Refusal.of(429, "rate_limit_exceeded", "rate_limit_exceeded", "too many requests are under way");
        }
        int all = ask.promptTokens() + ask.outputTokens();
        if (all > longest || all < 0) {
            throw Refusal.tooLong("this model's longest sequence is " + longest + " tokens, but " + ask.promptTokens()
                    + " prompt tokens and " + ask.outputTokens() + " output tokens were asked for");
        }
        var problems = serving.problems(ask.promptTokens(), ask.outputTokens());
        if (!problems.isEmpty()) {
            throw Refusal.invalid("prompt", problems.stream().map(p -> p.what()).collect(Collectors.joining("; ")));
        }
        Answer answer = new Answer(ask, arrived++, nowNs, Optional.of(connection), clientId, model, created);
        answer.place = serving.submit(nowNs / NS_PER_S, ask.promptTokens(), ask.outputTokens());
        answers[answer.place] = answer;
        gauges.submitted(ask.promptTokens());
        connection.answer = answer;
    }

    /** The client of an answer has gone at a time. */
    void leave(Answer answer, long nowNs) {
        answer.leave();
        if (abort && answers[answer.place] == answer && !answer.withdrawn) {
            answer.withdrawn = true;
            serving.withdraw(nowNs / NS_PER_S, answer.place);
        }
    }

    void advanceTo(long nowNs) {
        serving.advanceTo(nowNs / NS_PER_S);
    }

    /** When something happens next; {@link Long#MAX_VALUE} when nothing is to happen. */
    long nextNs() {
        double next = serving.nextSeconds();
        return Double.isInfinite(next) ? Long.MAX_VALUE : (long) Math.ceil(next * NS_PER_S);
    }

    /** The tokens since the last call have been handed to the system at a time; notes how late that was. */
    void note(Lateness lateness, long nowNs) {
        for (Answer answer : fresh) {
            answer.sent(nowNs);
            if (answers[answer.place] != answer) {
                served.add(answer.served());
            }
        }
        fresh.clear();
        if (tokens > 0) {
            lateness.add(nowNs - oldestNs, tokens);
        }
        tokens = 0;
        oldestNs = Long.MAX_VALUE;
    }

    /** Requests that were answered or given up. */
    long ended() {
        return ended;
    }

    String gauges() {
        return gauges.text(serving.underWay());
    }

    /** All requests that came, in order of arrival. */
    List<Served> served() {
        List<Served> all = new ArrayList<>(served);
        Arrays.stream(answers).filter(java.util.Objects::nonNull).forEach(a -> all.add(a.served()));
        all.sort(java.util.Comparator.comparingLong(Served::number));
        return all;
    }

    /** Figures of the simulated service as Prometheus scrapes them, under the names that vLLM gives them. */
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
            put(
                    out,
                    "vllm:num_requests_running",
                    "gauge",
                    "Requests that hold memory.",
                    Math.max(0, underWay - queued));
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
}
