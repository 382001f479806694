package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ResultSelector;
import dev.stagesim.io.measured.RunFact;
import dev.stagesim.io.measured.ToolUnits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * JSON of SGLang's {@code bench_serving}: one object per run, appended to the same file.
 *
 * <p>Scalars are in ms and arrays in s. The file has no times of sending, so only the durations of requests are available
 * unless all requests were sent at once.
 */
public final class SglangFormat extends ResultFormat {
    private static final Map<String, String> STATISTICS =
            new TreeMap<>(Map.of("mean", "mean", "median", "p50", "p90", "p90", "p95", "p95", "p99", "p99"));

    public SglangFormat() {
        super("sglang", "JSON lines of python -m sglang.bench_serving, best with --output-details");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("backend", "completed", "median_ttft_ms")
                && (file.hasMembers("total_output_tokens_retokenized") || file.hasMembers("sharegpt_output_len"));
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        LocatedJson json = ResultSelector.pick(
                file,
                options,
                at -> " (request_rate "
                        + at.find("request_rate").map(SglangFormat::text).orElse("unknown") + ")");
        options.refuse(false, true, "SGLang's file does not report the wait in the client");
        MeasurementBuilder builder = new MeasurementBuilder(name(), "sglang.bench_serving", json.source());
        builder.model(json.find("model").or(() -> json.find("model_id")));
        builder.engine("name", json.find("backend")).settings(json, results(json));
        json.find("server_info").filter(LocatedJson::isObject).ifPresent(info -> {
            builder.settings(info);
            builder.engine("version", info.find("version"));
        });
        builder.clock("the client's monotonic clock; durations only");
        builder.means("ttft", "send to first chunk with text");
        builder.means("tpot", "A: (latency - ttft) / (tokens - 1), latency up to the end of the stream");
        builder.means(
                "token_gap", "chunk gaps (B) in older versions, spread over the tokens of a chunk (C) in newer ones");
        builder.rate("requests_per_s", json.find("request_throughput"));
        builder.rate("output_tokens_per_s", json.find("output_throughput"));
        builder.rate("mean_concurrency", json.find("concurrency"));
        builder.closedLoop(VllmResult.clients(json));
        builder.fact(RunFact.SENT_REQUESTS, json.find("num_prompts"))
                .fact(RunFact.COMPLETED_REQUESTS, json.find("completed"))
                .fact(RunFact.PROMPT_TOKENS, json.find("total_input_tokens"), 1)
                .fact(RunFact.OUTPUT_TOKENS, json.find("total_output_tokens"), 1)
                .fact(RunFact.DURATION_NS, json.find("duration"), NS_PER_S)
                .fact(RunFact.CLIENTS, json.find("max_concurrency").filter(at -> MeasurementBuilder.count(at) > 0));
        if (!streamed(json)) {
            builder.warn("the responses were not streamed: the time to first token is the latency, and only"
                    + " latencies are compared");
            latencies(builder, json);
        } else {
            requests(builder, json);
            aggregates(builder, json);
        }
        return builder.done();
    }

    /** Returns the members that are results. The concurrency is a result too: the sum of latencies over the duration. */
    private static String[] results(LocatedJson json) {
        return json.members().keySet().stream()
                .filter(name -> name.endsWith("_ms")
                        || name.endsWith("_throughput")
                        || name.startsWith("total_")
                        || List.of("backend", "model", "duration", "completed", "concurrency", "accept_length")
                                .contains(name))
                .toArray(String[]::new);
    }

    /** False if the time to first token equals the latency, as in runs without streaming. */
    private static boolean streamed(LocatedJson json) {
        boolean equal = json.find("mean_ttft_ms")
                .filter(ttft -> ttft.asDouble() > 0
                        && json.find("mean_e2e_latency_ms")
                                .filter(e2e -> e2e.asDouble() == ttft.asDouble())
                                .isPresent())
                .isPresent();
        if (!json.has("ttfts") || !json.has("output_lens") || !json.has("itls")) {
            return !equal;
        }
        double[] ttfts = json.get("ttfts").asDoubles();
        long[] outputs = json.get("output_lens").asLongs();
        List<LocatedJson> gaps = json.get("itls").items();
        boolean several = false;
        for (int i = 0; i < outputs.length && i < gaps.size() && i < ttfts.length; i++) {
            if (outputs[i] > 1 && gaps.get(i).items().isEmpty() && ttfts[i] > 0) {
                several = true;
            } else if (!gaps.get(i).items().isEmpty()) {
                return true;
            }
        }
        return !several;
    }

    private static void latencies(MeasurementBuilder builder, LocatedJson json) {
        STATISTICS.forEach((prefix, statistic) ->
                builder.aggregate("e2e", "", statistic, json.find(prefix + "_e2e_latency_ms"), NS_PER_MS));
    }

    private static String text(LocatedJson at) {
        return at.value() instanceof JsonValue.Str text ? text.value() : String.valueOf(at.asDouble());
    }

    private static void aggregates(MeasurementBuilder builder, LocatedJson json) {
        STATISTICS.forEach((prefix, statistic) -> {
            builder.aggregate("ttft", "", statistic, json.find(prefix + "_ttft_ms"), NS_PER_MS);
            builder.aggregate("tpot", "A", statistic, json.find(prefix + "_tpot_ms"), NS_PER_MS);
            builder.aggregate("e2e", "", statistic, json.find(prefix + "_e2e_latency_ms"), NS_PER_MS);
            builder.aggregate("token_gap", "B or C", statistic, json.find(prefix + "_itl_ms"), NS_PER_MS);
        });
    }

    /** Reads the request arrays, unless there are none or it is unknown when the requests were sent. */
    private static void requests(MeasurementBuilder builder, LocatedJson json) {
        if (!json.has("ttfts")) {
            return;
        }
        if (!VllmResult.isAtOnce(json)) {
            builder.warn("SGLang does not report the times of sending at a finite rate: its aggregates are compared");
            return;
        }
        builder.warn("all requests were sent at once, at time 0, as request_rate is unlimited");
        Arrays arrays = JsonBinder.FOREIGN.bind(json, Arrays.class);
        int n = arrays.ttfts().length;
        for (String name : List.of("input_lens", "output_lens", "itls", "errors")) {
            json.find(name).ifPresent(at -> ResultSelector.sized(at, n));
        }
        for (int i = 0; i < n; i++) {
            int index = i;
            double ttft = arrays.ttfts()[i];
            long input = arrays.inputLens()[i];
            long output = arrays.outputLens()[i];
            // 0 marks a request without a first token
            boolean failed = ttft == 0
                    || arrays.errors()
                            .filter(errors -> !errors.get(index).isEmpty())
                            .isPresent();
            String id = "sglang-" + i;
            builder.request(
                    json.where() + "#/ttfts/" + i,
                    failed
                            ? Request.failed(id, 0, input, output, RequestStatus.FAILED)
                            : completed(id, ttft, input, output, arrays.itls().get(i)));
        }
    }

    /** The arrays of a result: an item for each request. */
    private record Arrays(
            double[] ttfts, long[] inputLens, long[] outputLens, List<double[]> itls, Optional<List<String>> errors) {}

    private static Request completed(String id, double ttft, long input, long output, double[] gaps) {
        long[] chunks = new long[gaps.length + 1];
        double at = ttft;
        for (int k = 0; k < chunks.length; k++) {
            at += k == 0 ? 0 : gaps[k - 1];
            chunks[k] = ToolUnits.nanos(at);
        }
        return Request.completed(id, 0, chunks[0], chunks[chunks.length - 1], input, output, chunks);
    }
}
