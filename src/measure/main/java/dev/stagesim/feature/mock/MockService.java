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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The simulated service of a server. Maps requests of the simulation to their responses. */
final class MockService {
    private final OnlineServing serving;
    private final ServiceMetrics metrics;
    private final int contextLength;
    private final @Nullable CompletionChoice[] responses;
    private final List<RequestOutcome> outcomes = new ArrayList<>();
    private long arrived;
    private final List<CompletionChoice> withUnsentTokens = new ArrayList<>();
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
        this.metrics = new ServiceMetrics(spec, MemoryPlan.of(spec), model, capacity);
        this.contextLength = spec.maxTokens();
        this.responses = new @Nullable CompletionChoice[capacity];
        this.serving = new OnlineServing(spec, times, capacity, stepFactor, metrics, new TokenReceiver());
    }

    /** Passes simulated tokens to the responses. */
    private final class TokenReceiver implements ServingRecorder {
        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.TOKENS);
        }

        @Override
        public void tokenEmitted(int request, int index, double time) {
            CompletionChoice response = response(request);
            long atNs = Math.round(time * NS_PER_S);
            long previousNs = response.lastNs();
            response.addToken(atNs);
            metrics.token(response, previousNs);
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
            CompletionChoice response = response(request);
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

    private CompletionChoice response(int place) {
        CompletionChoice response = responses[place];
        if (response == null) {
            throw new IllegalStateException("request " + place + " has no response");
        }
        return response;
    }

    /** Adds the choices of a request to the simulation. */
    void submit(
            CompletionRequest request, long nowNs, Connection connection, String clientId, String model, long created)
            throws ApiError {
        int choices = request.promptTokens().size() * request.choices();
        if (choices > responses.length) {
            throw ApiError.invalid(
                    "prompt",
                    "the request has " + choices + " choices, and this server runs at most " + responses.length
                            + " at a time");
        }
        if (choices > responses.length - serving.inProgress()) {
            throw ApiError.of(429, "rate_limit_exceeded", "rate_limit_exceeded", "too many requests are under way");
        }
        for (int promptTokens : request.promptTokens()) {
            check(promptTokens, request.outputTokens());
        }
        CompletionResponse response =
                new CompletionResponse(request, arrived, Optional.of(connection), clientId, model, created);
        for (int i = 0; i < choices; i++) {
            CompletionChoice choice = response.add(i / request.choices(), arrived++, nowNs);
            choice.place = serving.submit(nowNs / NS_PER_S, choice.promptTokens(), choice.outputTokens());
            responses[choice.place] = choice;
            metrics.submitted(choice.place, choice.promptTokens());
        }
        connection.response = response;
    }

    private void check(int promptTokens, long outputTokens) throws ApiError {
        if (outputTokens > contextLength - promptTokens) {
            throw ApiError.tooLong("this model's context length is " + contextLength + " tokens, but the request has "
                    + promptTokens + " prompt tokens and " + outputTokens + " output tokens");
        }
        var problems = serving.problems(promptTokens, (int) outputTokens);
        if (!problems.isEmpty()) {
            throw ApiError.invalid(
                    "prompt", problems.stream().map(p -> p.what()).collect(Collectors.joining("; ")));
        }
    }

    /** Handles a client that has closed its connection. */
    void disconnect(CompletionResponse response, long nowNs) {
        response.disconnect();
        for (CompletionChoice choice : response.choices()) {
            if (abort && responses[choice.place] == choice && !choice.withdrawn) {
                choice.withdrawn = true;
                serving.withdraw(nowNs / NS_PER_S, choice.place);
            }
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
        for (CompletionChoice response : withUnsentTokens) {
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

    String metrics() {
        return metrics.text(serving.inProgress());
    }

    /** Returns the outcomes of all requests in order of arrival. */
    List<RequestOutcome> outcomes() {
        List<RequestOutcome> all = new ArrayList<>(outcomes);
        Arrays.stream(responses).filter(Objects::nonNull).forEach(open -> all.add(open.outcome()));
        all.sort(Comparator.comparingLong(RequestOutcome::number));
        return all;
    }
}
