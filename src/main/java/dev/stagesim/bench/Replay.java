package dev.stagesim.bench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
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
 * Replays a workload against a server, open loop: each request is sent when it is due, whatever became of the others.
 *
 * <p>With a concurrency limit a request that is due waits in the client; its latency still counts from when it was due, so a
 * slow server cannot hide its queue in the client.
 */
public final class Replay {
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Endpoint endpoint;
    private final Options options;
    private final long origin;
    private final LongSupplier clock;
    private final Set<Exchange> flying = ConcurrentHashMap.newKeySet();
    private final LinkedBlockingQueue<Outcome> ended = new LinkedBlockingQueue<>();

    private Replay(Endpoint endpoint, Options options) {
        this.endpoint = endpoint;
        this.options = options;
        this.origin = System.nanoTime();
        this.clock = () -> System.nanoTime() - origin;
    }

    /**
     * How requests are sent.
     *
     * @param concurrency most requests under way at a time
     * @param prefix what their names begin with that the server is told; their number follows
     * @param roundTrips how often a request that needs no computing is timed meanwhile; empty for never
     */
    public record Options(int concurrency, String prefix, Optional<Duration> roundTrips) {}

    /** Hears of a replay as it goes on; called from the thread that replays. */
    public interface Listener {
        /** A request ended. */
        void ended(Outcome outcome, int done, int total);
    }

    /**
     * What a replay gave.
     *
     * @param outcomes one for each request, in the order of the requests
     * @param load how busy the client was
     * @param roundTripNs what requests took that needed no computing, in ns
     */
    public record Result(List<Outcome> outcomes, ClientLoad load, double[] roundTripNs) {}

    /** Sends all requests with nothing special about them, and waits for their ends. */
    public static Result run(Endpoint endpoint, List<PlannedRequest> requests, int concurrency, Listener listener) {
        return run(endpoint, requests, new Options(concurrency, "request", Optional.empty()), listener);
    }

    /**
     * Sends all requests and waits for their ends.
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
                List<Outcome> outcomes = new Replay(endpoint, options).run(client, requests, listener);
                return new Result(outcomes, watch.end(), trips.end());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private List<Outcome> run(HttpClient client, List<PlannedRequest> requests, Listener listener) {
        List<byte[]> bodies = new ArrayList<>();
        for (PlannedRequest request : requests) {
            bodies.add(body(request));
        }
        List<Outcome> outcomes = new ArrayList<>();
        int next = 0;
        long begin = clock.getAsLong();
        long checked = begin;
        while (outcomes.size() < requests.size()) {
            long now = clock.getAsLong() - begin;
            while (next < requests.size()
                    && requests.get(next).arrivalNs() <= now
                    && flying.size() < options.concurrency()) {
                launch(client, requests.get(next), bodies.get(next), begin);
                next++;
            }
            boolean room = next < requests.size() && flying.size() < options.concurrency();
            long wait = room ? Math.min(TICK_NS, requests.get(next).arrivalNs() - now) : TICK_NS;
            gather(outcomes, requests.size(), listener, wait);
            if (clock.getAsLong() - checked > TICK_NS) {
                checked = clock.getAsLong();
                long time = checked - begin;
                flying.forEach(exchange -> exchange.expire(time));
            }
        }
        outcomes.sort(Comparator.comparingLong(Outcome::id));
        return outcomes;
    }

    private void launch(HttpClient client, PlannedRequest request, byte[] body, long begin) {
        Exchange[] self = new Exchange[1];
        Consumer<Outcome> report = outcome -> {
            flying.remove(self[0]);
            ended.add(outcome);
        };
        self[0] = new Exchange(
                endpoint, request, options.prefix() + "-" + request.id(), () -> clock.getAsLong() - begin, report);
        flying.add(self[0]);
        self[0].send(client, body);
    }

    /** Takes the ends that are there; when there are none, waits a while for one. */
    private void gather(List<Outcome> outcomes, int total, Listener listener, long waitNs) {
        if (ended.isEmpty() && waitNs > 0) {
            LockSupport.parkNanos(Math.min(waitNs, TimeUnit.MILLISECONDS.toNanos(1)));
        }
        for (Outcome outcome = ended.poll(); outcome != null; outcome = ended.poll()) {
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
     * Times requests that need no computing - for the list of models - while a replay runs. What they take is what client, network and
     * the server's front add to every latency.
     */
    private static final class RoundTrips implements AutoCloseable {
        private static final Duration PATIENCE = Duration.ofSeconds(5);

        private final Thread thread = new Thread(this::ask, "round-trips");
        private final HttpClient client;
        private final HttpRequest request;
        private final long everyNs;
        private double[] took = new double[64];
        private int count;
        private volatile boolean ended;

        private RoundTrips(Endpoint endpoint, HttpClient client, long everyNs) {
            this.client = client;
            this.everyNs = everyNs;
            HttpRequest.Builder builder = HttpRequest.newBuilder(
                            URI.create(endpoint.base().toString().replaceAll("/+$", "") + "/models"))
                    .timeout(PATIENCE)
                    .GET();
            endpoint.apiKey().ifPresent(key -> builder.header("Authorization", "Bearer " + key));
            this.request = builder.build();
        }

        /** Begins to ask; with no interval it never asks. */
        static RoundTrips every(Optional<Duration> interval, Endpoint endpoint, HttpClient client) {
            RoundTrips trips = new RoundTrips(
                    endpoint, client, interval.map(Duration::toNanos).orElse(0L));
            if (interval.isPresent()) {
                trips.thread.setDaemon(true);
                trips.thread.start();
            }
            return trips;
        }

        private void ask() {
            while (!ended) {
                long began = System.nanoTime();
                try {
                    client.send(request, HttpResponse.BodyHandlers.discarding());
                    add(System.nanoTime() - began);
                } catch (IOException e) {
                    // a server that does not answer this has no round trips
                } catch (InterruptedException e) {
                    return;
                }
                for (long left = everyNs; left > 0 && !ended; left = began + everyNs - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
            }
        }

        private synchronized void add(long ns) {
            if (count == took.length) {
                took = Arrays.copyOf(took, 2 * count);
            }
            took[count++] = ns;
        }

        @Override
        public void close() {
            end();
        }

        /** Ends the asking; what each round trip took, in ns. */
        double[] end() {
            ended = true;
            thread.interrupt();
            try {
                thread.join(TimeUnit.SECONDS.toMillis(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            synchronized (this) {
                return Arrays.copyOf(took, count);
            }
        }
    }
}
