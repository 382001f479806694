package dev.stagesim.io.measured;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.AggregateCheck.Figure;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.Operations.Operator;
import dev.stagesim.io.measured.Operations.Step;
import dev.stagesim.io.measured.RequestCheck.Placed;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.RunCheck.Stated;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Builds a measurement. Formats add each value with its place in the file, and {@link #done} applies the same checks to all
 * formats.
 */
public final class MeasurementBuilder {
    private static final List<Double> QUANTILES = List.of(0.5, 0.9, 0.95, 0.99);

    /** Rates that may be 0. A tool writes 0 for any other rate if it did not measure it. */
    private static final Set<String> MAY_BE_ZERO = Set.of(
            "good_requests_per_s",
            "accepted_draft_tokens_percent",
            "collective_skew_us",
            "eval_accuracy",
            "preemptions",
            "prefix_cache_hit_percent",
            "queue_mean_ms",
            "max_waiting_requests");

    private static final double MAX_RATE = 1e15;

    private static final double MAX_PERCENT = 100;

    private final String format;
    private final String file;
    private final Map<String, JsonValue> engine = new TreeMap<>();
    private final Map<String, JsonValue> workload = new TreeMap<>();
    private final Map<String, JsonValue> settings = new TreeMap<>();
    private final Map<String, JsonValue> definitions = new TreeMap<>();
    private final Map<String, Stated> rates = new TreeMap<>();
    private final Map<RunFact, Stated> facts = new EnumMap<>(RunFact.class);
    private final Map<String, JsonValue> about = new TreeMap<>();
    private final Map<String, Figure> figures = new LinkedHashMap<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private final List<Placed> requests = new ArrayList<>();
    private final List<Placed> undated = new ArrayList<>();
    private final List<String> places = new ArrayList<>();
    private Optional<String> model = Optional.empty();
    private Optional<String> hardware = Optional.empty();
    private Set<String> derived = Set.of();
    private Operations operations = Operations.NONE;
    private final RejectedRecords contradictory = new RejectedRecords("record");
    private long contradictions;
    private boolean countsWaits;
    private double outputTokens;
    private double promptTokens;

    public MeasurementBuilder(String format, String tool, String file) {
        this.format = format;
        this.file = file;
        about.put(
                "attribution",
                JsonValue.object().put("source", tool + ", " + file).build());
    }

    public MeasurementBuilder model(Optional<LocatedJson> name) {
        model = name.map(LocatedJson::asString).filter(text -> !text.isEmpty());
        return this;
    }

    /** Keeps a scalar that describes the engine. */
    public MeasurementBuilder engine(String name, Optional<LocatedJson> value) {
        value.ifPresent(at -> engine.put(name, JsonFacts.finite(at.value())));
        return this;
    }

    public MeasurementBuilder engine(LocatedJson object) {
        engine.putAll(JsonFacts.scalars(object, Set.of()).members());
        return this;
    }

    /** Keeps the plain values of an object as settings, without those named. */
    public MeasurementBuilder settings(LocatedJson object, String... except) {
        settings.putAll(JsonFacts.scalars(object, Set.of(except)).members());
        return this;
    }

    /** Keeps the plain values of an object and of objects below it as settings, by their path. */
    public MeasurementBuilder nestedSettings(LocatedJson object) {
        settings.putAll(JsonFacts.flat(object));
        return this;
    }

    /** Keeps a plain value as a setting. */
    public MeasurementBuilder setting(String name, LocatedJson value) {
        boolean plain = !(value.isObject() || value.isArray() || value.value() instanceof JsonValue.Null);
        if (plain) {
            settings.put(name, JsonFacts.finite(value.value()));
        }
        return this;
    }

    public MeasurementBuilder clock(String text) {
        about.put("clock", JsonValue.of(text));
        return this;
    }

    /** Sets the definition of a metric in this tool. */
    public MeasurementBuilder means(String metric, String text) {
        definitions.put(metric, JsonValue.of(text));
        return this;
    }

    /** Adds a rate: requests, output tokens or total tokens per second, or another metric of the tool. */
    public MeasurementBuilder rate(String name, Optional<LocatedJson> value) {
        value.ifPresent(at -> rate(name, at.asDouble(), at.where()));
        return this;
    }

    /** Adds a rate with a unit such as {@code tokens/s}; without a unit it is per second. */
    public MeasurementBuilder rate(String name, Optional<LocatedJson> value, Optional<LocatedJson> unit) {
        value.ifPresent(
                at -> rate(name, at.asDouble() * unit.map(ToolUnits::perSecond).orElse(1.0), at.where()));
        return this;
    }

    public MeasurementBuilder rate(String name, double value) {
        return rate(name, value, file);
    }

    public MeasurementBuilder rate(String name, double value, String where) {
        if (name.endsWith("_percent") && value > MAX_PERCENT) {
            throw StageException.input(
                    Problem.artifact(where, name + " is " + value + ", expected 0 to " + MAX_PERCENT));
        }
        if (value == 0 && !MAY_BE_ZERO.contains(name)) {
            warn(name + " is left out: 0 in " + where);
        } else if (value >= 0 && value < MAX_RATE) {
            rates.put(name, new Stated(value, where));
        } else {
            warn(name + " is left out: " + value + " in " + where + ", expected 0 to " + MAX_RATE);
        }
        return this;
    }

    /** Returns a number of requests, tokens or errors. A negative number is an input error. */
    public static long count(LocatedJson value) {
        long count = value.asLong();
        if (count < 0 || count > Integer.MAX_VALUE) {
            throw value.expected("a number from 0 to " + Integer.MAX_VALUE);
        }
        return count;
    }

    /** Warns about failed requests. */
    public MeasurementBuilder failed(Optional<LocatedJson> failures) {
        fact(RunFact.FAILED_REQUESTS, failures);
        return failed(failures.map(MeasurementBuilder::count).orElse(0L));
    }

    public MeasurementBuilder failed(long failures) {
        if (failures > 0) {
            warn(Count.of(failures, "request") + " failed and are in no aggregate");
        }
        return this;
    }

    /** Sets the mean output tokens of a request, to compare times per token with latencies. */
    public MeasurementBuilder outputTokens(Optional<Double> mean) {
        outputTokens = mean.orElse(outputTokens);
        return this;
    }

    /** Sets the mean prompt tokens of a request, to compare rates with each other. */
    public MeasurementBuilder promptTokens(Optional<Double> mean) {
        promptTokens = mean.orElse(promptTokens);
        return this;
    }

    public MeasurementBuilder aggregate(
            String metric, String definition, String statistic, Optional<LocatedJson> value, double unitNs) {
        return aggregate(metric, definition, statistic, value, unitNs, Optional.empty());
    }

    public MeasurementBuilder aggregate(
            String metric,
            String definition,
            String statistic,
            Optional<LocatedJson> value,
            double unitNs,
            Optional<String> method) {
        value.ifPresent(at -> published(
                new Published(metric, definition, statistic, at.asDouble() * unitNs, Optional.empty(), method),
                at.where()));
        return this;
    }

    /** Adds the statistics of a metric from an object that has each as a member in any spelling of the tools. */
    public MeasurementBuilder statistics(
            String metric, String definition, Optional<LocatedJson> object, double unitNs) {
        object.ifPresent(at -> Published.SPELLINGS.forEach((statistic, names) -> aggregate(
                metric,
                definition,
                statistic,
                names.stream().flatMap(name -> at.find(name).stream()).findFirst(),
                unitNs)));
        return this;
    }

    public MeasurementBuilder published(Published figure, String where) {
        if (!Published.isStatistic(figure.statistic()) && !figure.statistic().equals(AggregateCheck.MIN)) {
            throw StageException.input(Problem.artifact(
                    where, "is a statistic '" + figure.statistic() + "', expected " + Published.STATISTICS));
        }
        figures.put(figure.metric() + figure.definition() + figure.statistic(), new Figure(figure, where));
        return this;
    }

    public MeasurementBuilder engine(String name, JsonValue value) {
        engine.put(name, value);
        return this;
    }

    /** Keeps another member of the measurement. */
    public MeasurementBuilder about(String name, JsonValue value) {
        about.put(name, value);
        return this;
    }

    /**
     * Keeps the load that was measured, so that a simulation of it can be suggested.
     *
     * @param requests number of requests
     * @param prompt mean prompt tokens of a request
     * @param generated mean output tokens of a request
     */
    public MeasurementBuilder load(long requests, double prompt, double generated) {
        if (!Double.isFinite(prompt) || !Double.isFinite(generated)) {
            warn("the numbers of tokens are not finite, so the load is unknown");
            return this;
        }
        outputTokens(Optional.of(generated)).promptTokens(Optional.of(prompt));
        workload.put("requests", JsonValue.of(requests));
        workload.put("prompt_tokens", JsonValue.of(prompt));
        workload.put("output_tokens", JsonValue.of(generated));
        return this;
    }

    /** Keeps the requested rate in requests per second, or {@code inf} if all requests are sent at once. */
    public MeasurementBuilder requestRate(JsonValue rate) {
        workload.put("request_rate", JsonFacts.finite(rate));
        return this;
    }

    /** Keeps the known parts of the load of a file without requests, unless the format has set the load. */
    private void loadOfAggregates() {
        Stated completed = facts.get(RunFact.COMPLETED_REQUESTS);
        if (completed != null && completed.value() > 0) {
            workload.putIfAbsent("requests", JsonValue.of(Math.round(completed.value())));
        }
        if (promptTokens > 0) {
            workload.putIfAbsent("prompt_tokens", JsonValue.of(promptTokens));
        }
        if (outputTokens() > 0) {
            workload.putIfAbsent("output_tokens", JsonValue.of(outputTokens()));
        }
    }

    /** Keeps a number about the whole run, in ns for a time, for the check of the run. */
    public MeasurementBuilder fact(RunFact fact, Optional<LocatedJson> value, double unit) {
        value.filter(at -> !at.isNull()).ifPresent(at -> facts.put(fact, new Stated(at.asDouble() * unit, at.where())));
        return this;
    }

    /** Keeps a number of requests or devices for the check of the run. */
    public MeasurementBuilder fact(RunFact fact, Optional<LocatedJson> value) {
        return fact(fact, value.filter(at -> !at.isNull() && count(at) >= 0), 1);
    }

    /** Keeps the number of devices, which the file does not state in one value. */
    public MeasurementBuilder devices(long devices, String where) {
        facts.put(RunFact.DEVICES, new Stated(devices, where));
        return this;
    }

    /**
     * Keeps the number of clients of a closed loop: each sends a request when its previous request has ended. Latencies then change
     * the load, which a replay of the send times does not repeat.
     */
    public MeasurementBuilder closedLoop(Optional<LocatedJson> clients) {
        fact(RunFact.CLIENTS, clients);
        return closedLoop(clients.map(MeasurementBuilder::count).orElse(0L));
    }

    public MeasurementBuilder closedLoop(long clients) {
        if (clients > 0) {
            workload.put("closed_loop", JsonValue.of(clients));
        }
        return this;
    }

    public MeasurementBuilder hardware(String name) {
        hardware = Optional.of(name);
        return this;
    }

    public MeasurementBuilder model(String name) {
        model = Optional.of(name).filter(text -> !text.isEmpty());
        return this;
    }

    /** Adds the mean and percentiles of accepted values, in ns. */
    private void values(String metric, String definition, List<Request> from) {
        double[] ns = derived.contains(metric)
                ? from.stream()
                        .flatMapToDouble(request -> request.times(metric))
                        .toArray()
                : new double[0];
        if (ns.length > 0) {
            Optional<Long> n = Optional.of((long) ns.length);
            add(metric, definition, "mean", Moments.mean(ns), n);
            double[] sorted = Quantiles.sorted(ns);
            for (double q : QUANTILES) {
                add(metric, definition, "p" + Math.round(q * 100), Quantiles.ofSorted(sorted, q), n);
            }
            add(metric, definition, "max", sorted[sorted.length - 1], n);
        }
    }

    private void add(String metric, String definition, String statistic, double ns, Optional<Long> n) {
        published(new Published(metric, definition, statistic, ns, n, n.map(count -> Quantiles.METHOD)), file);
    }

    public MeasurementBuilder warn(String text) {
        warnings.add(text);
        return this;
    }

    /**
     * Adds a request.
     *
     * @param where its place in the file
     */
    public MeasurementBuilder request(String where, Request request) {
        return request(where, request, Requests.NONE, request.chunks().length);
    }

    /**
     * Adds a request.
     *
     * @param sent time at which the client sent it, or {@link Requests#NONE} if absent
     * @param chunks number of chunks of output; 0 if unknown
     */
    public MeasurementBuilder request(String where, Request request, long sent, long chunks) {
        requests.add(new Placed(where, request, sent, chunks));
        return this;
    }

    /** Adds a request with durations but no dates. It arrives at 0, and its times become aggregates. */
    public MeasurementBuilder undated(String where, Request request) {
        undated.add(new Placed(where, request, Requests.NONE, request.chunks().length));
        return this;
    }

    /** Number of requests without dates. */
    public long undated() {
        return undated.size();
    }

    /**
     * Returns false if a value of one record contradicts the value that other values of the record give. The caller leaves
     * the record out.
     */
    public boolean agrees(String where, String key, double stated, double derived, double minDifference) {
        boolean agrees = !DerivedCheck.isContradiction(stated, derived, minDifference);
        if (!agrees) {
            contradictions++;
            contradictory.add(where, key + " is " + stated + ", expected " + derived + " by the other values");
        }
        return agrees;
    }

    /** Declares that times of requests include a wait in the client, which the stated aggregates may leave out. */
    public MeasurementBuilder countsWaits(boolean isCounted) {
        countsWaits = isCounted;
        return this;
    }

    /** Selects the metrics to compute from the requests without dates. */
    public MeasurementBuilder derive(String... metrics) {
        derived = Set.of(metrics);
        return this;
    }

    public MeasurementBuilder operations(List<Operator> rows) {
        return operations(rows, List.of(), Collections.nCopies(rows.size(), file));
    }

    /**
     * Sets the timed operators and collectives.
     *
     * @param where place of each operator in the file, then of each collective
     */
    public MeasurementBuilder operations(List<Operator> rows, List<Collective> collectives, List<String> where) {
        operations = new Operations(rows, collectives);
        places.addAll(where);
        return this;
    }

    /** Finishes a measurement of collectives; warns if some results were wrong. */
    public Measurement collectives(List<Collective> rows, List<String> where) {
        if (rows.stream().anyMatch(row -> row.wrong() > 0)) {
            warn("some results were wrong: the times come from a broken run");
        }
        return operations(List.of(), rows, where).done();
    }

    /** Sets the steps of an engine, with the place of each in the file. */
    public MeasurementBuilder steps(List<Step> steps, List<String> where) {
        operations = new Operations(List.of(), List.of(), steps);
        places.addAll(where);
        return this;
    }

    /** Checks all values and returns the plausible ones. */
    public Measurement done() {
        Requests accepted = new Requests(RequestCheck.accepted(requests, this::warn));
        List<Request> timed = RequestCheck.accepted(undated, this::warn);
        contradictory.among(contradictions + requests.size() + undated.size()).ifPresent(this::warn);
        long cancelled = accepted.all().stream()
                .filter(request -> request.status() == RequestStatus.CANCELLED)
                .count();
        if (cancelled > 0) {
            warn(Count.of(cancelled, "request") + " cancelled by the client: left out of all times");
        }
        values("ttft", "", timed);
        values("tpot", "A", timed);
        values("e2e", "", timed);
        values("norm_latency", "D", timed);
        values("token_gap", "B", timed);
        List<Published> published = AggregateCheck.accepted(figures.values(), outputTokens(), this::warn);
        new RunCheck(facts, rates, published, accepted.size() > 0 ? accepted.all() : timed, this::warn)
                .check(promptTokens, outputTokens);
        new DerivedCheck(accepted.all(), countsWaits, this::warn).check(figures.values(), facts, rates);
        Operations operators = OperationCheck.accepted(operations, places, this::warn);
        boolean aggregatesOnly = accepted.size() == 0 && operators.isEmpty();
        if (aggregatesOnly) {
            loadOfAggregates();
        }
        describe();
        if (aggregatesOnly) {
            requireAggregates(published);
            warn("the file has aggregates only: runs are compared by those, not request by request");
        }
        return new Measurement(
                format,
                model,
                hardware,
                JsonValue.of(about),
                accepted,
                published,
                operators,
                new ArrayList<>(warnings));
    }

    private void describe() {
        put("engine", engine);
        put("settings", settings);
        put("workload", workload);
        put("definitions", definitions);
        Map<String, JsonValue> stated = new TreeMap<>();
        rates.forEach((name, value) -> stated.put(name, JsonValue.of(value.value())));
        put("rates", stated);
    }

    private void requireAggregates(List<Published> published) {
        if (published.isEmpty() && rates.isEmpty()) {
            Problem problem = Problem.artifact(file, "contains no usable value");
            for (String warning : warnings) {
                problem = problem.note("because", warning);
            }
            throw StageException.input(problem);
        }
    }

    /** Returns the mean output tokens of a request as the file states them or as its rates give them; 0 if unknown. */
    private double outputTokens() {
        Stated tokens = rates.get("output_tokens_per_s");
        Stated requests = rates.get("requests_per_s");
        return outputTokens > 0 || tokens == null || requests == null
                ? outputTokens
                : tokens.value() / requests.value();
    }

    private void put(String name, Map<String, JsonValue> values) {
        if (!values.isEmpty()) {
            about.put(name, JsonValue.of(values));
        }
    }
}
