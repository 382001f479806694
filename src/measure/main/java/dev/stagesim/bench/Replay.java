package dev.stagesim.bench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.SessionTurns;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Replays a workload against a server, open loop: each request is sent at its arrival time. In a closed loop of sessions, each
 * turn after the first is sent a given time after the previous answer has ended.
 *
 * <p>With a concurrency limit, requests wait in the client. Their latency is measured from the arrival time, so the waiting time in
 * the client is included.
 */
public final class Replay {
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Endpoint endpoint;
    private final Options options;
    private final long origin;
    private final LongSupplier clock;
    private final Set<StreamingRequest> active = ConcurrentHashMap.newKeySet();
    private final LinkedBlockingQueue<ReplayOutcome> ended = new LinkedBlockingQueue<>();

    private Replay(Endpoint endpoint, Options options) {
        this.endpoint = endpoint;
        this.options = options;
        this.origin = System.nanoTime();
        this.clock = () -> System.nanoTime() - origin;
    }

    /**
     * Options of a replay.
     *
     * @param limit limit on the number of concurrent requests
     * @param prefix prefix of the request ids that are sent to the server; the number follows
     * @param roundTrips interval of requests that need no computation, which measure the round trip; empty to disable
     * @param turns turns of sessions by position in the list of requests; empty unless the limit counts sessions
     */
    public record Options(
            ClosedLoop limit, String prefix, Optional<Duration> roundTrips, Optional<SessionTurns> turns) {
        /** Overload with a maximum number of concurrent requests that does not change. */
        public Options(int concurrency, String prefix, Optional<Duration> roundTrips) {
            this(new ClosedLoop(concurrency, 0, 0), prefix, roundTrips, Optional.empty());
        }
    }

    /** Receives the progress of a replay, on the replaying thread. */
    public interface Listener {
        /** Called when a request has ended. */
        void ended(ReplayOutcome outcome, int done, int total);
    }

    /**
     * The result of a replay.
     *
     * @param outcomes one outcome per request, in the order of the requests
     * @param load load of the client
     * @param roundTripNs durations of requests that need no computation, in ns
     */
    public record Result(List<ReplayOutcome> outcomes, ClientLoad load, double[] roundTripNs) {}

    /** Sends all requests with default options and waits for their completion. */
    public static Result run(Endpoint endpoint, List<PlannedRequest> requests, int concurrency, Listener listener) {
        return run(endpoint, requests, new Options(concurrency, "request", Optional.empty()), listener);
    }

    /**
     * Sends all requests and waits for their completion.
     *
     * @param requests requests in order of arrival
     */
    public static Result run(Endpoint endpoint, List<PlannedRequest> requests, Options options, Listener listener) {
        ExecutorService threads =
                Executors.newFixedThreadPool(Math.max(2, Runtime.getRuntime().availableProcessors()), work -> {
                    Thread thread = new Thread(work, "replay");
                    thread.setDaemon(true);
                    return thread;
                });
        try {
            HttpClient client = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .connectTimeout(endpoint.connectTimeout())
                    .executor(threads)
                    .build();
            try (ClientLoad.Watch watch = new ClientLoad.Watch();
                    RoundTrips trips = RoundTrips.every(options.roundTrips(), endpoint, client)) {
                List<ReplayOutcome> outcomes = new Replay(endpoint, options).run(client, requests, listener);
                return new Result(outcomes, watch.end(), trips.end());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private List<ReplayOutcome> run(HttpClient client, List<PlannedRequest> requests, Listener listener) {
        List<byte[]> bodies = new ArrayList<>();
        for (PlannedRequest request : requests) {
            bodies.add(body(request));
        }
        List<ReplayOutcome> outcomes = new ArrayList<>();
        SendOrder order = new SendOrder(requests, options);
        long begin = clock.getAsLong();
        long checked = begin;
        while (outcomes.size() < requests.size()) {
            long now = clock.getAsLong() - begin;
            while (order.dueNs(active.size()) <= now) {
                long due = order.dueNs(active.size());
                int next = order.take(active.size());
                PlannedRequest request = requests.get(next);
                launch(client, order.isLaterTurn(next) ? request.at(due) : request, bodies.get(next), begin);
            }
            int before = outcomes.size();
            gather(outcomes, requests.size(), listener, Math.min(TICK_NS, order.dueNs(active.size()) - now));
            outcomes.subList(before, outcomes.size()).forEach(order::ended);
            if (clock.getAsLong() - checked > TICK_NS) {
                checked = clock.getAsLong();
                long time = checked - begin;
                active.forEach(request -> request.expire(time));
            }
        }
        outcomes.sort(Comparator.comparingLong(ReplayOutcome::id));
        return outcomes;
    }

    private void launch(HttpClient client, PlannedRequest request, byte[] body, long begin) {
        StreamingRequest[] self = new StreamingRequest[1];
        Consumer<ReplayOutcome> report = outcome -> {
            active.remove(self[0]);
            ended.add(outcome);
        };
        self[0] = new StreamingRequest(
                endpoint, request, options.prefix() + "-" + request.id(), () -> clock.getAsLong() - begin, report);
        active.add(self[0]);
        self[0].send(client, body);
    }

    /** Collects completed requests. If there are none, waits up to {@code waitNs} for one. */
    private void gather(List<ReplayOutcome> outcomes, int total, Listener listener, long waitNs) {
        if (ended.isEmpty() && waitNs > 0) {
            LockSupport.parkNanos(Math.min(waitNs, TimeUnit.MILLISECONDS.toNanos(1)));
        }
        for (ReplayOutcome outcome = ended.poll(); outcome != null; outcome = ended.poll()) {
            outcomes.add(outcome);
            listener.ended(outcome, outcomes.size(), total);
        }
    }

    private byte[] body(PlannedRequest request) {
        JsonObjectBuilder body = JsonValue.object()
                .put("model", endpoint.model())
                .put("max_tokens", request.outputTokens())
                .put("temperature", 0)
                .put("stream", true)
                .put(
                        "stream_options",
                        JsonValue.object().put("include_usage", true).build());
        if (endpoint.ignoreEos()) {
            body.put("ignore_eos", true);
        }
        if (endpoint.chat()) {
            JsonValue message = JsonValue.object()
                    .put("role", "user")
                    .put("content", request.prompt())
                    .build();
            body.put("messages", JsonValue.of(List.of(message)));
        } else {
            body.put("prompt", request.prompt());
        }
        return Json.compact(body.build()).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Measures requests for the list of models during a replay. They need no computation, so their duration is the overhead of client,
     * network and HTTP server in every latency.
     */
    private static final class RoundTrips implements AutoCloseable {
        private static final Duration TIMEOUT = Duration.ofSeconds(5);

        private final Thread thread = new Thread(this::measure, "round-trips");
        private final HttpClient client;
        private final HttpRequest request;
        private final long intervalNs;
        private double[] durationsNs = new double[64];
        private int count;
        private volatile boolean ended;

        private RoundTrips(Endpoint endpoint, HttpClient client, long intervalNs) {
            this.client = client;
            this.intervalNs = intervalNs;
            HttpRequest.Builder builder = HttpRequest.newBuilder(
                            URI.create(endpoint.base().toString().replaceAll("/+$", "") + "/models"))
                    .timeout(TIMEOUT)
                    .GET();
            endpoint.apiKey().ifPresent(key -> builder.header("Authorization", "Bearer " + key));
            this.request = builder.build();
        }

        /** Starts the measurement, unless the interval is empty. */
        static RoundTrips every(Optional<Duration> interval, Endpoint endpoint, HttpClient client) {
            RoundTrips trips = new RoundTrips(
                    endpoint, client, interval.map(Duration::toNanos).orElse(0L));
            if (interval.isPresent()) {
                trips.thread.setDaemon(true);
                trips.thread.start();
            }
            return trips;
        }

        private void measure() {
            while (!ended) {
                long startNs = System.nanoTime();
                try {
                    client.send(request, HttpResponse.BodyHandlers.discarding());
                    add(System.nanoTime() - startNs);
                } catch (IOException e) {
                    // not every server supports this request
                } catch (InterruptedException e) {
                    return;
                }
                for (long left = intervalNs; left > 0 && !ended; left = startNs + intervalNs - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
            }
        }

        private synchronized void add(long ns) {
            if (count == durationsNs.length) {
                durationsNs = Arrays.copyOf(durationsNs, 2 * count);
            }
            durationsNs[count++] = ns;
        }

        @Override
        public void close() {
            end();
        }

        /** Stops the measurement and returns the durations in ns. */
        double[] end() {
            ended = true;
            thread.interrupt();
            try {
                thread.join(TimeUnit.SECONDS.toMillis(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            synchronized (this) {
                return Arrays.copyOf(durationsNs, count);
            }
        }
    }
}
