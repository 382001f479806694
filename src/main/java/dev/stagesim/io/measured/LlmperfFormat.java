package dev.stagesim.io.measured;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Individual responses of LLMPerf: seconds, without the times at which requests were sent.
 *
 * <p>What it calls inter-token latency is the whole latency over the output tokens, definition D.
 */
final class LlmperfFormat implements ResultFormat {
    private static final double NS_PER_S = 1e9;

    @Override
    public String name() {
        return "llmperf";
    }

    @Override
    public String describe() {
        return "*_individual_responses.json or *_summary.json of LLMPerf";
    }

    @Override
    public boolean recognises(Glimpse file) {
        return (file.head().contains("\"ttft_s\"") && file.head().contains("\"end_to_end_latency_s\""))
                || file.head().contains("results_ttft_s_quantiles_");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "LLMPerf's files are of one run and do not tell when requests were sent");
        Draft draft = new Draft(name(), "LLMPerf", file.toString());
        draft.means("norm_latency", "D: what it calls inter-token latency is latency over output tokens");
        draft.warn("LLMPerf counts the tokens of every model with one tokenizer");
        try (JsonDocuments documents = Json.stream(file, JsonMode.FOREIGN)) {
            JsonAt first = documents
                    .next()
                    .orElseThrow(() -> dev.stagesim.model.StageException.input(
                            dev.stagesim.model.Problem.of("artifact error", file.toString(), "the file is empty")));
            if (first.value() instanceof dev.stagesim.io.json.JsonValue.Arr) {
                responses(draft, first.items());
            } else {
                summary(draft, first);
            }
        }
        return draft.done();
    }

    private static void responses(Draft draft, List<JsonAt> responses) {
        List<Double> ttft = new ArrayList<>();
        List<Double> e2e = new ArrayList<>();
        List<Double> normalised = new ArrayList<>();
        List<Double> tpot = new ArrayList<>();
        long failed = 0;
        for (JsonAt at : responses) {
            boolean error = at.find("error_code").isPresent()
                    || at.find("error_msg")
                            .map(JsonAt::asString)
                            .filter(text -> !text.isEmpty())
                            .isPresent();
            long tokens = at.find("number_output_tokens").map(JsonAt::asLong).orElse(0L);
            if (error || tokens < 1) {
                failed++;
                continue;
            }
            double first = at.get("ttft_s").asDouble() * NS_PER_S;
            double whole = at.get("end_to_end_latency_s").asDouble() * NS_PER_S;
            ttft.add(first);
            e2e.add(whole);
            normalised.add(whole / tokens);
            if (tokens > 1) {
                tpot.add((whole - first) / (tokens - 1));
            }
        }
        if (failed > 0) {
            draft.warn(failed + " requests failed and are left out");
        }
        draft.values("ttft", "", ttft).values("tpot", "A", tpot);
        draft.values("e2e", "", e2e).values("norm_latency", "D", normalised);
    }

    private static void summary(Draft draft, JsonAt json) {
        draft.model(json.find("model")).settings(json);
        metric(draft, json, "ttft_s", "ttft", "");
        metric(draft, json, "inter_token_latency_s", "norm_latency", "D");
        metric(draft, json, "end_to_end_latency_s", "e2e", "");
        draft.rate("output_tokens_per_s", json.find("results_mean_output_throughput_token_per_s"));
    }

    private static void metric(Draft draft, JsonAt json, String theirs, String ours, String definition) {
        String prefix = "results_" + theirs + "_";
        draft.aggregate(ours, definition, "mean", json.find(prefix + "mean"), NS_PER_S);
        draft.aggregate(ours, definition, "max", json.find(prefix + "max"), NS_PER_S);
        for (String p : List.of("p25", "p50", "p75", "p90", "p95", "p99")) {
            Optional<JsonAt> value = json.find(prefix + "quantiles_" + p);
            draft.aggregate(ours, definition, p, value, NS_PER_S);
        }
    }
}
