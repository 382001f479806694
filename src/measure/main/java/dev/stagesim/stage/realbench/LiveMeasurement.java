package dev.stagesim.stage.realbench;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.bench.ClientWarmUp;
import dev.stagesim.bench.Endpoint;
import dev.stagesim.bench.LiveWorkload;
import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.bench.PlannedRequest;
import dev.stagesim.bench.Replay;
import dev.stagesim.bench.ReplayJournal;
import dev.stagesim.bench.ReplayOutcome;
import dev.stagesim.bench.ServerFacts;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Operations;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.prometheus.EngineMetrics;
import dev.stagesim.measure.CancelSettings;
import dev.stagesim.measure.EndpointSettings;
import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.MeasuredLoad;
import dev.stagesim.serving.workload.ClosedLoopDocument;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.SessionTurns;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongUnaryOperator;

/** Measures a live server: replays the workload and records the outcome of every request. */
final class LiveMeasurement {
    private static final String WORKLOAD = "workload";
    private static final int MAX_ERRORS = 5;

    /** Maximum share of unintended prefix-cache hits, for example from a chat template. */
    private static final double MAX_UNINTENDED_HITS = 0.05;

    private final RealBenchSettings settings;
    private final StageContext context;
    private final List<String> warnings = new ArrayList<>();

    /** Delays of the client in this session. */
    private ClientDelays client = new ClientDelays(new double[0], new double[0], new double[0]);

    /** Salt of generated prompts. */
    private String salt = "";

    private List<PlannedRequest> toWarmUp = List.of();

    /** Limit of the replayed closed loop, or empty for an open loop. */
    private Optional<ClosedLoop> closedLoop = Optional.empty();

    private LongUnaryOperator sessions = request -> request;

    /** True if the workload is a measurement of a closed loop. Its arrival times are then results. */
    private boolean isMeasured;

    /** Metrics of the server during the replay, or empty if it has none. */
    private Optional<EngineMetrics> metrics = Optional.empty();

    private LiveMeasurement(RealBenchSettings settings, StageContext context) {
        this.settings = settings;
        this.context = context;
    }

    static Measurement take(RealBenchSettings settings, StageContext context) throws IOException {
        return new LiveMeasurement(settings, context).take();
    }

    private Measurement take() throws IOException {
        EndpointSettings server = settings.endpoint();
        Endpoint endpoint = LiveServer.of(server, settings.model().name());
        LiveServer.exposure(endpoint).ifPresent(context::warn);
        endpoint = LiveServer.withListedModel(endpoint, server.server().model().isPresent());
        salt = salt(server);
        LiveWorkload workload = LiveWorkload.read(context.input(WORKLOAD), salt);
        sessions = workload::session;
        toWarmUp = workload.warmUp(server.warmupRequests());
        Path requests = context.input(WORKLOAD).dir();
        Optional<ClosedLoop> stated = ClosedLoopDocument.read(requests);
        Optional<Integer> measured = MeasuredLoad.closedLoop(requests);
        isMeasured = stated.isEmpty();
        closedLoop = stated.or(() -> measured.map(clients -> new ClosedLoop(clients, 0, 0)));
        List<PlannedRequest> planned = Cancellations.plan(server.cancel(), sent(workload.requests()));
        List<ReplayOutcome> outcomes = server.journal().isPresent()
                ? resumed(endpoint, planned, server.journal().get())
                : replay(endpoint, planned, 0, outcome -> {});
        clientTable(context.out(), outcomes);
        checkPrefixCache(workload);
        failures(outcomes);
        client.headlines().forEach(context::headline);
        warnings.addAll(client.warnings(
                server.maxConcurrency() < planned.size()
                        ? OptionalInt.of(server.maxConcurrency())
                        : OptionalInt.empty()));
        return new Measurement(
                "endpoint",
                Optional.of(settings.model().name()),
                Optional.empty(),
                about(endpoint),
                new Requests(requests(outcomes, workload)),
                List.of(),
                Operations.NONE,
                warnings);
    }

    /** Returns the requests with their times of sending. In a closed loop a request is sent when a client is free. */
    private List<PlannedRequest> sent(List<PlannedRequest> requests) {
        return closedLoop.isEmpty() || !isMeasured
                ? requests
                : requests.stream().map(request -> request.at(0)).toList();
    }

    private ClosedLoop limit() {
        int max = settings.endpoint().maxConcurrency();
        return closedLoop.map(loop -> loop.atMost(max)).orElse(new ClosedLoop(max, 0, 0));
    }

    private Optional<SessionTurns> turns(List<PlannedRequest> planned) {
        return closedLoop
                .filter(ClosedLoop::countsSessions)
                .map(loop -> new SessionTurns(
                        planned.size(),
                        i -> sessions.applyAsLong(planned.get(i).id()),
                        i -> planned.get(i).arrivalNs() / NS_PER_S));
    }

    /** An operation that may fail while an outcome is stored. */
    private interface Keeping {
        void keep(ReplayOutcome outcome) throws IOException;
    }

    /** Sends requests and stores each outcome at once. {@code before} requests were sent in an earlier session. */
    private List<ReplayOutcome> replay(Endpoint endpoint, List<PlannedRequest> planned, int before, Keeping keeping)
            throws IOException {
        if (planned.isEmpty()) {
            return List.of();
        }
        EndpointSettings server = settings.endpoint();
        ClientWarmUp.run();
        warmUp(endpoint, toWarmUp);
        Optional<EngineMetrics> earlier = ServerFacts.metrics(endpoint);
        Replay.Options options = new Replay.Options(
                limit(),
                Long.toHexString(System.currentTimeMillis()),
                server.roundTripIntervalS().map(seconds -> Duration.ofNanos(Math.round(seconds * NS_PER_S))),
                turns(planned));
        try {
            Replay.Result result = Replay.run(endpoint, planned, options, (outcome, done, total) -> {
                context.progress("requests answered", before + done, before + total);
                Unchecked.run(() -> keeping.keep(outcome));
            });
            metrics = ServerFacts.metrics(endpoint)
                    .flatMap(now ->
                            earlier.map(then -> new EngineMetrics(now.text().since(then.text()))));
            client = ClientDelays.of(
                    closedLoop.isPresent() ? List.of() : result.outcomes(),
                    result.load().lateNs(),
                    result.roundTripNs());
            context.headline("client_processors", result.load().processors());
            return result.outcomes();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Sends the requests that are not in the journal. The first is sent at once, and the others keep their distances.
     * Recorded times refer to the original workload.
     */
    private List<ReplayOutcome> resumed(Endpoint endpoint, List<PlannedRequest> planned, Path file) throws IOException {
        String replay = endpoint + " " + planned.size() + " requests " + PlannedRequest.digest(planned);
        try (ReplayJournal journal = ReplayJournal.open(file, replay, salt)) {
            context.resumesFrom(file);
            Map<Long, ReplayOutcome> all = new TreeMap<>(journal.before());
            List<PlannedRequest> left =
                    planned.stream().filter(r -> !all.containsKey(r.id())).toList();
            long shift = all.isEmpty() || left.isEmpty() ? 0 : left.get(0).arrivalNs();
            if (!all.isEmpty()) {
                warnings.add("resumed: " + all.size() + " of " + planned.size() + " requests were in "
                        + file.getFileName() + ", " + (left.isEmpty() ? "none was" : "the rest was") + " sent now");
            }
            List<PlannedRequest> now =
                    left.stream().map(r -> r.at(r.arrivalNs() - shift)).toList();
            replay(endpoint, now, all.size(), outcome -> journal.add(outcome.later(shift)))
                    .forEach(outcome -> all.put(outcome.id(), outcome.later(shift)));
            return List.copyOf(all.values());
        }
    }

    private static String salt(EndpointSettings server) throws IOException {
        if (server.promptSalt().isPresent()) {
            return server.promptSalt().get();
        }
        Optional<String> earlier = server.journal().isPresent()
                ? ReplayJournal.salt(server.journal().get())
                : Optional.empty();
        return earlier.orElseGet(() -> UUID.randomUUID().toString());
    }

    /** Generated prompts share no prefix unless the workload shares tokens. */
    private void checkPrefixCache(LiveWorkload workload) {
        Optional<Double> queries = metrics.flatMap(EngineMetrics::prefixQueries);
        if (queries.isEmpty() || !workload.isMadeUp() || context.input(WORKLOAD).has(Tables.TRACE_TOKENS.name())) {
            return;
        }
        double share = metrics.orElseThrow().prefixHits() / Math.max(1, queries.get());
        if (share > MAX_UNINTENDED_HITS) {
            warnings.add("the server found " + Numbers.fixed(100 * share, 0)
                    + " % of the prompt tokens in its prefix cache, but the"
                    + " prompts of this workload share no prefix: an earlier run sent the same prompts"
                    + " (endpoint.prompt_salt), or other clients use the server");
        }
    }

    /** Warms up kernels, caches and connections. A server that does not respond is reported before any load is sent. */
    private void warmUp(Endpoint endpoint, List<PlannedRequest> first) {
        for (PlannedRequest now : first) {
            Replay.Options alone = new Replay.Options(1, "warm-up", Optional.empty());
            ReplayOutcome outcome = Replay.run(endpoint, List.of(now), alone, (o, done, total) -> {})
                    .outcomes()
                    .get(0);
            outcome.error().ifPresent(why -> {
                throw StageException.failed(
                        Problem.of("server error", endpoint.toString(), "the first request failed: " + why)
                                .hint("is the server up, and is this its model? endpoint.model names it"));
            });
        }
    }

    private List<Request> requests(List<ReplayOutcome> outcomes, LiveWorkload workload) {
        boolean sent =
                settings.real().arrivals().orElse(closedLoop.isPresent() ? ArrivalTime.SENT : ArrivalTime.INTENDED)
                        == ArrivalTime.SENT;
        List<Request> requests = new ArrayList<>();
        boolean counted =
                outcomes.stream().allMatch(o -> o.error().isPresent() || o.cancelled() || o.outputTokens() > 0);
        if (!counted) {
            warnings.add("the server does not count tokens (usage): each chunk is taken for one token");
        }
        for (ReplayOutcome o : outcomes) {
            int i = (int) o.id();
            if (i < limit().warmUpRequests()) {
                continue;
            }
            long arrival = sent ? Math.max(0, o.sentNs()) : o.intendedNs();
            long prompt = o.promptTokens() > 0 ? o.promptTokens() : workload.prefill(i);
            String id = workload.promptId(i);
            requests.add(
                    o.error().isPresent()
                            ? cut(o, id, arrival, prompt, workload.decode(i), RequestStatus.FAILED)
                            : o.cancelled()
                                    ? cut(o, id, arrival, prompt, o.chunkNs().length, RequestStatus.CANCELLED)
                                    : completed(o, id, arrival, prompt));
        }
        return requests;
    }

    /**
     * A request that did not complete. For a cancelled request the received tokens count as requested, because the
     * server did no more.
     */
    private static Request cut(
            ReplayOutcome o, String id, long arrival, long prompt, long asked, RequestStatus status) {
        return new Request(
                id,
                arrival,
                o.chunkNs().length > 0 ? Math.max(arrival, o.chunkNs()[0]) : Requests.NONE,
                Requests.NONE,
                prompt,
                Math.max(1, asked),
                o.chunkNs().length,
                status,
                new long[0],
                false);
    }

    private static Request completed(ReplayOutcome o, String id, long arrival, long prompt) {
        long[] chunks = o.chunkNs();
        long tokens = o.outputTokens() > 0 ? o.outputTokens() : chunks.length;
        return Request.completed(id, arrival, chunks[0], chunks[chunks.length - 1], prompt, tokens, chunks);
    }

    /** Counts every request, and the failed ones by cause. */
    private void failures(List<ReplayOutcome> outcomes) {
        Map<String, Integer> causes = new LinkedHashMap<>();
        outcomes.forEach(o -> o.error().ifPresent(why -> causes.merge(why, 1, Integer::sum)));
        int failed = causes.values().stream().mapToInt(Integer::intValue).sum();
        long cancelled = outcomes.stream().filter(ReplayOutcome::cancelled).count();
        if (!(settings.endpoint().cancel() instanceof CancelSettings.None)) {
            context.headline("cancelled", cancelled);
        }
        if (failed > 0 && failed == outcomes.size()) {
            throw StageException.failed(Problem.of(
                    "server error",
                    settings.endpoint().server().url().orElse(""),
                    "all " + failed + " requests failed: "
                            + causes.keySet().iterator().next()));
        }
        checkShare(failed, outcomes.size());
        causes.entrySet().stream()
                .limit(MAX_ERRORS)
                .forEach(cause -> warnings.add(
                        cause.getValue() + " of " + outcomes.size() + " requests failed: " + cause.getKey()));
        if (causes.size() > MAX_ERRORS) {
            warnings.add("and requests failed for " + (causes.size() - MAX_ERRORS)
                    + " more reasons: client_metrics.csv has all");
        }
    }

    private void checkShare(int failed, int all) {
        double percent = 100.0 * failed / Math.max(1, all);
        settings.endpoint()
                .maxFailedPercent()
                .filter(limit -> percent > limit)
                .ifPresent(limit -> context.checkFailed(Problem.of(
                        "check failed",
                        "endpoint.max_failed_percent",
                        failed + " of " + all + " requests failed, which is " + Numbers.significant(percent, 2)
                                + " %; the limit is " + Numbers.plain(limit) + " %")));
    }

    /** Settings of the client, and settings that the server reports. */
    private JsonValue clientSettings(Endpoint endpoint) {
        Map<String, JsonValue> all = new TreeMap<>(ServerFacts.read(endpoint));
        all.put("model", JsonValue.of(endpoint.model()));
        all.put("max_concurrency", JsonValue.of((long) limit().concurrency()));
        all.put("prompt_salt", JsonValue.of(salt));
        metrics.ifPresent(of -> of.prefixQueries().ifPresent(queries -> {
            all.put("prefix_cache_hit_tokens", JsonValue.of(Math.round(of.prefixHits())));
            all.put("prefix_cache_query_tokens", JsonValue.of(Math.round(queries)));
        }));
        all.put("warmup_requests", JsonValue.of((long) settings.endpoint().warmupRequests()));
        return JsonValue.of(all);
    }

    /** Returns the means of the server's histograms for the replay; none if the histograms are inconsistent. */
    private JsonValue serverFigures() {
        Map<String, JsonValue> figures = new TreeMap<>();
        try {
            metrics.map(EngineMetrics::figures)
                    .orElse(Map.of())
                    .forEach((name, value) -> figures.put("server_" + name, JsonValue.of(value)));
        } catch (StageException e) {
            warnings.add("the histograms of /metrics are left out: " + e.getMessage());
        }
        return JsonValue.of(figures);
    }

    private JsonValue.Obj about(Endpoint endpoint) {
        JsonObjectBuilder about = JsonValue.object();
        // in a loop of sessions the times of sending describe the load better than a number of requests in flight
        closedLoop.filter(loop -> !loop.countsSessions()).ifPresent(loop -> {
            if (isMeasured) {
                warnings.add("the workload is a closed loop of " + loop.concurrency()
                        + " requests and was replayed as one: a request is"
                        + " sent when another ends, and its latency counts from then");
            }
            about.put(
                    "workload",
                    JsonValue.object()
                            .put("closed_loop", (long) loop.concurrency())
                            .build());
        });
        return about.put(
                        "attribution",
                        JsonValue.object().put("source", "live, " + endpoint).build())
                .put("clock", "System.nanoTime of the client, one clock for all events")
                .put("clock_noise", client.json())
                .put("settings", clientSettings(endpoint))
                .put("rates", serverFigures())
                .put(
                        "definitions",
                        JsonValue.object()
                                .put(
                                        "ttft",
                                        "due to first chunk with output, network and waiting in the client included")
                                .put("tpot", "A: (last chunk - first chunk) / (tokens - 1)")
                                .put("token_gap", "B: gaps between chunks")
                                .put("e2e", "due to last chunk")
                                .build())
                .build();
    }

    /** Writes the client's data about every request. */
    private static void clientTable(Path out, List<ReplayOutcome> outcomes) throws IOException {
        TableWriter.write(out, MeasuredTables.CLIENT_METRICS, outcomes, (rows, o) -> {
            rows.put(o.id()).put(o.label()).put(o.intendedNs());
            rows.putUnlessNegative(o.sentNs());
            rows.put(o.endNs()).put((long) o.chunkNs().length);
            rows.putUnlessNegative(o.promptTokens());
            rows.putUnlessNegative(o.outputTokens());
            rows.put(o.cancelled()).put(o.error().orElse(""));
        });
    }
}
