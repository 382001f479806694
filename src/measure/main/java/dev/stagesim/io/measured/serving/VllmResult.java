package dev.stagesim.io.measured.serving;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.JsonFacts;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the requests of one result object of {@code vllm bench serve}. */
final class VllmResult {
    private static final double NS = 1e9;
    static final Set<String> ENGINE = Set.of("backend", "endpoint_type", "tokenizer_id", "model_id", "date", "label");
    private static final long ROUNDING_NS = 1000;
    private final LocatedJson json;
    private final ReadOptions options;
    private final List<Problem> problems = new ArrayList<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private boolean countsWaits;

    VllmResult(LocatedJson json, ReadOptions options) {
        this.json = json;
        this.options = options;
    }

    /** Reads requests if the result has their arrays, else aggregates. */
    static Measurement measurement(LocatedJson json, ReadOptions options) {
        boolean detailed =
                List.of("input_lens", "output_lens", "ttfts").stream().anyMatch(json::has);
        if (!detailed && VllmAggregates.isIn(json)) {
            options.refuse(false, true, "the file has aggregates only");
            return VllmAggregates.measurement(json)
                    .warned("vllm bench serve was run without --save-detailed, which would have kept the requests");
        }
        if (detailed && isUndated(json) && VllmAggregates.isIn(json)) {
            options.refuse(false, true, "the file lacks the times of sending");
            return VllmAggregates.measurement(json)
                    .warned("there is no 'start_times', so when requests were sent is unknown: the file's aggregates"
                            + " are compared; newer vllm bench serve --save-detailed writes it");
        }
        return new VllmResult(json, options).measurement();
    }

    /** True if the times of sending are unknown: older files lack them, and the rate was finite. */
    private static boolean isUndated(LocatedJson json) {
        return !json.has("start_times") && !isAtOnce(json);
    }

    /** Returns true if all requests are sent at the start; SGLang writes the same two members. */
    static boolean isAtOnce(LocatedJson json) {
        return json.find("request_rate").filter(VllmResult::unlimited).isPresent()
                && json.find("max_concurrency").isEmpty();
    }

    /** Returns the engine settings that the client reports. */
    static JsonValue.Obj engine(LocatedJson json) {
        JsonValue.Obj all = JsonFacts.scalars(json, Set.of());
        Set<String> notEngine = new LinkedHashSet<>(all.members().keySet());
        notEngine.removeAll(ENGINE);
        return all.without(notEngine).with("name", JsonValue.of("vLLM"));
    }

    private Measurement measurement() {
        MeasurementBuilder builder = new MeasurementBuilder("vllm_bench_serve", "vllm bench serve", json.source())
                .model(json.find("model_id"));
        requests(builder);
        StageException.refuse(problems);
        engine(json).members().forEach(builder::engine);
        Set<String> rest = new LinkedHashSet<>(ENGINE);
        json.members().keySet().stream().filter(VllmAggregates::isResult).forEach(rest::add);
        builder.settings(json, rest.toArray(String[]::new));
        builder.clock("time.perf_counter of the client, one clock for all requests");
        builder.means("ttft", VllmAggregates.TTFT).means("tpot", VllmAggregates.TPOT);
        builder.means("token_gap", VllmAggregates.TOKEN_GAP).means("e2e", "arrival to last chunk");
        json.members().forEach((name, value) -> VllmAggregates.take(builder, name, value));
        warnings.forEach(builder::warn);
        builder.countsWaits(countsWaits);
        Measurement measurement = VllmAggregates.load(builder, json).done();
        for (String disagreement : VllmAggregates.disagreements(measurement, json)) {
            measurement = measurement.warned(disagreement);
        }
        return measurement.requests().hasUnknownChunks()
                ? measurement.warned(
                        "some streamed chunks contain several tokens: token gaps are between chunks, not tokens")
                : measurement;
    }

    private void requests(MeasurementBuilder builder) {
        for (String needed : List.of("input_lens", "output_lens", "ttfts")) {
            if (!json.has(needed)) {
                problems.add(json.problem("there is no '" + needed + "': the file has aggregates only")
                        .hint("run vllm bench serve with --save-result --save-detailed"));
            }
        }
        if (!problems.isEmpty()) {
            return;
        }
        Arrays arrays = JsonBinder.FOREIGN.bind(json, Arrays.class);
        double[] ttfts = arrays.ttfts();
        int n = ttfts.length;
        long[] inputs = sized("input_lens", arrays.inputLens(), n);
        long[] outputs = sized("output_lens", arrays.outputLens(), n);
        double[][] gaps = gaps(arrays, n);
        Optional<double[]> latencies = sized("latencies", arrays.latencies(), n);
        double[] starts = starts(arrays, n);
        double[] arrivals = arrivals(arrays, starts, n);
        boolean[] failed = failed(arrays, outputs, ttfts);
        double origin = Double.POSITIVE_INFINITY;
        for (double arrival : arrivals) {
            origin = Math.min(origin, arrival);
        }
        int completed = 0;
        for (int i = 0; i < n && problems.isEmpty(); i++) {
            completed += failed[i] ? 0 : 1;
            Timing timing = new Timing(arrivals[i] - origin, starts[i] - origin, ttfts[i], latencyOf(latencies, i));
            builder.request(
                    json.where() + "#/ttfts/" + i,
                    failed[i]
                            ? failure(i, timing, inputs[i], outputs[i])
                            : request(i, timing, inputs[i], outputs[i], withoutTtft(gaps[i], ttfts[i], outputs[i])));
        }
        if (problems.isEmpty() && completed == 0) {
            problems.add(json.problem("no request completed"));
        }
    }

    /** Times of a request in seconds since the first arrival; the latency is NaN if absent. */
    private record Timing(double arrival, double start, double ttft, double latency) {}

    private static double latencyOf(Optional<double[]> latencies, int i) {
        return latencies.map(all -> all[i]).filter(s -> s != 0).orElse(Double.NaN);
    }

    private Request failure(int i, Timing t, long input, long output) {
        warnings.add("the requested length of failed requests is unknown: the tokens received are used, at least 1");
        return new Request(
                "vllm-" + i,
                ToolUnits.nanos(t.arrival()),
                Requests.NONE,
                Requests.NONE,
                input,
                Math.max(1, output),
                output,
                RequestStatus.FAILED,
                new long[0],
                false);
    }

    private Request request(int i, Timing t, long input, long output, double[] gaps) {
        double first = t.start() + t.ttft();
        long[] chunks = new long[gaps.length == 0 && output > 1 ? 0 : gaps.length + 1];
        double at = first;
        for (int k = 0; k < chunks.length; k++) {
            at += k == 0 ? 0 : gaps[k - 1];
            chunks[k] = ToolUnits.nanos(at);
        }
        double last = Double.isNaN(t.latency()) ? at : t.start() + t.latency();
        if (Double.isNaN(t.latency()) && chunks.length == 0) {
            problems.add(at("itls", i, "is empty and there are no 'latencies': when the request ended is unknown"));
        }
        long lastChunk = chunks.length == 0 ? ToolUnits.nanos(first) : chunks[chunks.length - 1];
        // the stated latency and the sum of the gaps are rounded differently
        long completion =
                Math.abs(ToolUnits.nanos(last) - lastChunk) <= ROUNDING_NS ? lastChunk : ToolUnits.nanos(last);
        return Request.completed(
                "vllm-" + i, ToolUnits.nanos(t.arrival()), ToolUnits.nanos(first), completion, input, output, chunks);
    }

    /** Versions of mid-2024 put the time to first token before the gaps. */
    private double[] withoutTtft(double[] gaps, double ttft, long output) {
        if (gaps.length > 1 && gaps.length == output && Math.abs(gaps[0] - ttft) <= 1e-9) {
            warnings.add("the gaps of this old vLLM version begin with the time to first token; it is left out");
            return java.util.Arrays.copyOfRange(gaps, 1, gaps.length);
        }
        return gaps;
    }

    /** The arrays of a detailed result: an item for each request; times in s. */
    private record Arrays(
            double[] ttfts,
            List<Long> inputLens,
            List<Long> outputLens,
            Optional<List<double[]>> itls,
            Optional<double[]> latencies,
            Optional<double[]> startTimes,
            Optional<double[]> queueTimes,
            Optional<List<Optional<String>>> errors) {}

    private double[][] gaps(Arrays arrays, int n) {
        double[][] gaps = new double[n][0];
        List<double[]> all = arrays.itls().orElse(List.of());
        if (arrays.itls().isPresent() && sameLength("itls", all.size(), n)) {
            for (int i = 0; i < n; i++) {
                gaps[i] = all.get(i);
                for (double gap : gaps[i]) {
                    if (!(gap >= 0) || Double.isInfinite(gap)) {
                        problems.add(at("itls", i, "contains " + gap + ", expected seconds, at least 0"));
                        break;
                    }
                }
            }
        }
        return gaps;
    }

    private double[] starts(Arrays arrays, int n) {
        Optional<double[]> starts = sized("start_times", arrays.startTimes(), n);
        if (starts.isPresent()) {
            return starts.get();
        }
        if (!isAtOnce(json)) {
            problems.add(json.problem("there is no 'start_times', so when requests were sent is unknown")
                    .hint("newer vllm bench serve --save-detailed writes them"));
        }
        warnings.add("no start_times: all requests arrive at time 0, as request_rate is unlimited");
        return new double[n];
    }

    /** Returns the clients of a closed loop: concurrency is limited, and the rate is not. */
    static Optional<LocatedJson> clients(LocatedJson json) {
        boolean isUnlimited =
                json.find("request_rate").map(VllmResult::unlimited).orElse(true);
        return json.find("max_concurrency").filter(at -> isUnlimited && MeasurementBuilder.count(at) > 0);
    }

    private static boolean unlimited(LocatedJson rate) {
        return rate.value() instanceof JsonValue.Str text
                ? text.value().startsWith("inf")
                : Double.isInfinite(rate.asDouble());
    }

    private double[] arrivals(Arrays arrays, double[] starts, int n) {
        Optional<double[]> queued = sized("queue_times", arrays.queueTimes(), n);
        if (queued.isEmpty() && options.arrivals().isPresent()) {
            problems.add(Problem.config("real.arrivals", "has no effect: " + json.source() + " has no queue_times"));
        }
        double[] arrivals = starts.clone();
        boolean isClosed = clients(json).isPresent();
        if (queued.isPresent() && isClosed && options.arrivals().isEmpty()) {
            warnings.add("a closed loop of " + JsonFacts.text(json.get("max_concurrency"))
                    + " requests: a request arrives when it is sent, as in the times that vLLM printed;"
                    + " real.arrivals=intended counts the wait in the client too");
        }
        ArrivalTime counted = options.arrivals().orElse(isClosed ? ArrivalTime.SENT : ArrivalTime.INTENDED);
        if (queued.isPresent() && counted == ArrivalTime.INTENDED) {
            countsWaits = true;
            for (int i = 0; i < n; i++) {
                if (!(queued.get()[i] > -ROUNDING_NS / NS)) {
                    problems.add(at("queue_times", i, "is " + queued.get()[i] + ", expected seconds, at least 0"));
                }
                arrivals[i] -= Math.max(0, queued.get()[i]);
            }
        }
        return arrivals;
    }

    /** A request with an error has failed. Older files have no errors, so a failed request has empty output. */
    private boolean[] failed(Arrays arrays, long[] outputs, double[] ttfts) {
        boolean[] failed = new boolean[outputs.length];
        Optional<List<Optional<String>>> errors = arrays.errors();
        if (errors.isPresent() && !sameLength("errors", errors.get().size(), outputs.length)) {
            return failed;
        }
        for (int i = 0; i < failed.length; i++) {
            failed[i] =
                    errors.isPresent() ? !errors.get().get(i).orElse("").isEmpty() : outputs[i] == 0 || ttfts[i] == 0;
            if (!failed[i] && outputs[i] < 1) {
                problems.add(at("output_lens", i, "is " + outputs[i] + " for a request without an error"));
            }
        }
        return failed;
    }

    private Optional<double[]> sized(String name, Optional<double[]> array, int n) {
        return array.filter(all -> sameLength(name, all.length, n));
    }

    private long[] sized(String name, List<Long> array, int n) {
        return sameLength(name, array.size(), n)
                ? array.stream().mapToLong(Long::longValue).toArray()
                : new long[n];
    }

    private boolean sameLength(String name, int size, int n) {
        if (size != n) {
            problems.add(json.problem("'" + name + "' has " + size + " items, but 'ttfts' has " + n));
        }
        return size == n;
    }

    private Problem at(String name, int i, String what) {
        return json.problem("'" + name + "'[" + i + "] " + what);
    }
}
