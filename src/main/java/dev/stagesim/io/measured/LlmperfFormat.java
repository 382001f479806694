package dev.stagesim.io.measured;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Individual responses of LLMPerf: seconds, without the times at which requests were sent.
 *
 * <p>What it calls inter-token latency is the whole latency over the output tokens, definition D.
 */
final class LlmperfFormat extends ResultFormat {
    private static final List<String> PERCENTILES = List.of("p25", "p50", "p75", "p90", "p95", "p99");

    LlmperfFormat() {
        super("llmperf", "*_individual_responses.json or *_summary.json of LLMPerf");
    }

    @Override
    boolean recognises(Glimpse file) {
        return (file.head().contains("\"ttft_s\"") && file.head().contains("\"end_to_end_latency_s\""))
                || file.head().contains("results_ttft_s_quantiles_");
    }

    @Override
    Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "LLMPerf's files are of one run and do not tell when requests were sent");
        Draft draft = new Draft(name(), "LLMPerf", file.toString());
        draft.means("norm_latency", "D: what it calls inter-token latency is latency over output tokens");
        draft.warn("LLMPerf counts the tokens of every model with one tokenizer");
        try (JsonDocuments documents = ResultFile.stream(file)) {
            LocatedJson first = documents
                    .next()
                    .orElseThrow(() -> StageException.input(Problem.artifact(file.toString(), "the file is empty")));
            if (first.isArray()) {
                responses(draft, first.items());
            } else {
                summary(draft, first);
            }
        }
        return draft.done();
    }

    private static void responses(Draft draft, List<LocatedJson> responses) {
        draft.derive("ttft", "tpot", "e2e", "norm_latency");
        long failed = 0;
        for (LocatedJson at : responses) {
            Response response = JsonBinder.FOREIGN.bind(at, Response.class);
            long tokens = at.find("number_output_tokens").map(Draft::count).orElse(0L);
            if (response.isFailed() || tokens < 1) {
                failed++;
                continue;
            }
            long first = Units.round(response.ttftS().orElse(Double.NaN) * NS_PER_S);
            long whole = Units.round(response.endToEndLatencyS().orElse(Double.NaN) * NS_PER_S);
            draft.undated(at.where(), Request.completed(at.where(), 0, first, whole, 0, tokens, new long[0]));
        }
        draft.failed(failed);
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

    private static void summary(Draft draft, LocatedJson json) {
        String[] results = json.members().keySet().stream()
                .filter(name -> name.startsWith("results"))
                .toArray(String[]::new);
        draft.model(json.find("model")).settings(json, results);
        metric(draft, json, "ttft_s", "ttft", "");
        metric(draft, json, "inter_token_latency_s", "norm_latency", "D");
        metric(draft, json, "end_to_end_latency_s", "e2e", "");
        Optional<LocatedJson> nested = json.find("results").filter(LocatedJson::isObject);
        draft.rate(
                "output_tokens_per_s",
                json.find("results_mean_output_throughput_token_per_s")
                        .or(() -> nested.flatMap(at -> at.find("mean_output_throughput_token_per_s"))));
        nested.ifPresent(stats -> {
            nested(draft, stats, "ttft_s", "ttft", "");
            nested(draft, stats, "inter_token_latency_s", "norm_latency", "D");
            nested(draft, stats, "end_to_end_latency_s", "e2e", "");
        });
        json.find("results_error_rate")
                .or(() -> nested.flatMap(at -> at.find("error_rate")))
                .map(LocatedJson::asDouble)
                .filter(rate -> rate != 0)
                .ifPresent(rate ->
                        draft.warn("a share of " + rate + " of the requests failed: they are in none of the figures"));
    }

    /** Summaries that were not flattened hold objects of statistics. */
    private static void nested(Draft draft, LocatedJson results, String theirs, String ours, String definition) {
        results.find(theirs).ifPresent(at -> {
            draft.aggregate(ours, definition, "mean", at.find("mean"), NS_PER_S);
            draft.aggregate(ours, definition, "max", at.find("max"), NS_PER_S);
            at.find("quantiles").ifPresent(quantiles -> {
                for (String p : PERCENTILES) {
                    draft.aggregate(ours, definition, p, quantiles.find(p), NS_PER_S);
                }
            });
        });
    }

    private static void metric(Draft draft, LocatedJson json, String theirs, String ours, String definition) {
        String prefix = "results_" + theirs + "_";
        draft.aggregate(ours, definition, "mean", json.find(prefix + "mean"), NS_PER_S);
        draft.aggregate(ours, definition, "max", json.find(prefix + "max"), NS_PER_S);
        for (String p : PERCENTILES) {
            Optional<LocatedJson> value = json.find(prefix + "quantiles_" + p);
            draft.aggregate(ours, definition, p, value, NS_PER_S);
        }
    }
}
