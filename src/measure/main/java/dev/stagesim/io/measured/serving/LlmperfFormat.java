package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.ResultFile;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.RunFact;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Individual responses of LLMPerf, in seconds, without the times of sending.
 *
 * <p>LLMPerf's inter-token latency is the latency over the output tokens, definition D.
 */
public final class LlmperfFormat extends ResultFormat {
    private static final List<String> PERCENTILES = List.of("p25", "p50", "p75", "p90", "p95", "p99");

    public LlmperfFormat() {
        super("llmperf", "*_individual_responses.json or *_summary.json of LLMPerf");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return (file.head().contains("\"ttft_s\"") && file.head().contains("\"end_to_end_latency_s\""))
                || file.head().contains("results_ttft_s_quantiles_");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "LLMPerf's files describe one run and lack the times of sending");
        MeasurementBuilder builder = new MeasurementBuilder(name(), "LLMPerf", file.toString());
        builder.means("norm_latency", "D: its inter-token latency is the latency divided by the output tokens");
        builder.warn("LLMPerf counts the tokens of every model with one tokenizer");
        try (JsonDocuments documents = ResultFile.stream(file)) {
            LocatedJson first = documents
                    .next()
                    .orElseThrow(() -> StageException.input(Problem.artifact(file.toString(), "the file is empty")));
            if (first.isArray()) {
                responses(builder, first.items());
                builder.warn(
                        "the responses do not state the number of clients: to compare with a simulation, use LLMPerf's"
                                + " *_summary.json");
            } else {
                summary(builder, first);
            }
        }
        return builder.done();
    }

    private static void responses(MeasurementBuilder builder, List<LocatedJson> responses) {
        builder.derive("ttft", "tpot", "e2e", "norm_latency");
        long failed = 0;
        long completed = 0;
        double prompts = 0;
        double outputs = 0;
        for (LocatedJson at : responses) {
            Response response = JsonBinder.FOREIGN.bind(at, Response.class);
            long tokens = at.find("number_output_tokens")
                    .map(MeasurementBuilder::count)
                    .orElse(0L);
            if (response.isFailed() || tokens < 1) {
                failed++;
                continue;
            }
            long first = ToolUnits.nanos(response.ttftS().orElse(Double.NaN));
            long whole = ToolUnits.nanos(response.endToEndLatencyS().orElse(Double.NaN));
            if (!agree(builder, at, tokens, response.endToEndLatencyS().orElse(Double.NaN))) {
                continue;
            }
            builder.undated(at.where(), Request.completed(at.where(), 0, first, whole, 0, tokens, new long[0]));
            completed++;
            outputs += tokens;
            prompts += at.find("number_input_tokens").map(LocatedJson::asDouble).orElse(Double.NaN);
        }
        if (prompts > 0) {
            builder.load(completed, prompts / completed, outputs / completed);
        }
        builder.failed(failed);
    }

    /** Compares the values that a response states with the values computed from its tokens and latency. */
    private static boolean agree(MeasurementBuilder builder, LocatedJson at, long tokens, double latencyS) {
        Map<String, Double> derived = new TreeMap<>(Map.of(
                "inter_token_latency_s", latencyS / tokens,
                "request_output_throughput_token_per_s", tokens / latencyS));
        at.find("number_input_tokens")
                .ifPresent(input -> derived.put("number_total_tokens", input.asDouble() + tokens));
        return derived.entrySet().stream().allMatch(value -> at.find(value.getKey())
                .filter(stated -> !stated.isNull() && stated.asDouble() != 0)
                .map(stated -> builder.agrees(stated.where(), value.getKey(), stated.asDouble(), value.getValue(), 0))
                .orElse(true));
    }

    /** One response; a failed one may have no times. */
    private record Response(
            Optional<JsonValue> errorCode,
            Optional<String> errorMsg,
            Optional<Double> ttftS,
            Optional<Double> endToEndLatencyS) {
        boolean isFailed() {
            return errorCode.filter(code -> !(code instanceof JsonValue.Null)).isPresent()
                    || errorMsg.filter(text -> !text.isEmpty()).isPresent();
        }
    }

    private static void summary(MeasurementBuilder builder, LocatedJson json) {
        String[] results = json.members().keySet().stream()
                .filter(name -> name.startsWith("results"))
                .toArray(String[]::new);
        builder.model(json.find("model")).settings(json, results);
        metric(builder, json, "ttft_s", "ttft", "");
        metric(builder, json, "inter_token_latency_s", "norm_latency", "D");
        metric(builder, json, "end_to_end_latency_s", "e2e", "");
        builder.rate("output_tokens_per_s", result(json, "mean_output_throughput_token_per_s"));
        result(json, "number_input_tokens", "mean").ifPresent(at -> builder.promptTokens(Optional.of(at.asDouble())));
        result(json, "number_output_tokens", "mean").ifPresent(at -> builder.outputTokens(Optional.of(at.asDouble())));
        builder.closedLoop(json.find("num_concurrent_requests"))
                .fact(RunFact.SENT_REQUESTS, result(json, "num_requests_started"))
                .fact(RunFact.COMPLETED_REQUESTS, result(json, "num_completed_requests"));
        result(json, "error_rate")
                .map(LocatedJson::asDouble)
                .filter(rate -> rate != 0)
                .ifPresent(
                        rate -> builder.warn("a share of " + rate + " of the requests failed and is in no aggregate"));
    }

    private static void metric(
            MeasurementBuilder builder, LocatedJson json, String theirs, String ours, String definition) {
        for (String statistic : List.of("mean", "min", "max")) {
            builder.aggregate(ours, definition, statistic, result(json, theirs, statistic), NS_PER_S);
        }
        for (String p : PERCENTILES) {
            builder.aggregate(ours, definition, p, result(json, theirs, "quantiles", p), NS_PER_S);
        }
    }

    /** Returns a value of the results. Summaries that were not flattened contain an object for each metric. */
    private static Optional<LocatedJson> result(LocatedJson json, String... path) {
        Optional<LocatedJson> found = json.find("results").filter(LocatedJson::isObject);
        for (String name : path) {
            found = found.flatMap(at -> at.find(name));
        }
        Optional<LocatedJson> flat = json.find("results_" + String.join("_", path));
        return flat.isPresent() ? flat : found;
    }
}
