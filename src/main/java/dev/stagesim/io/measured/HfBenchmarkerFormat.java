package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonAt;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Results of Hugging Face's inference-benchmarker: a file holds the runs of a sweep, as aggregates in ms. */
final class HfBenchmarkerFormat implements ResultFormat {
    private static final double NS_PER_MS = 1e6;

    @Override
    public String name() {
        return "hf_benchmarker";
    }

    @Override
    public String describe() {
        return "results/*.json of Hugging Face's inference-benchmarker";
    }

    @Override
    public boolean recognises(Glimpse file) {
        return file.hasMembers("results", "config") && file.head().contains("\"time_to_first_token_ms\"");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "the file has aggregates only");
        JsonAt root = Entries.pick(file, ReadOptions.NONE, at -> "");
        JsonAt run = Entries.pick(
                root.get("results").items(),
                root.source(),
                options,
                at -> " (" + at.find("id").map(JsonAt::asString).orElse("") + ")");
        Draft draft = new Draft(name(), "inference-benchmarker", root.source());
        draft.model(root.get("config").find("model_name")).settings(root.get("config"));
        draft.means("tpot", "A: inter_token_latency_ms, a mean for each request without the first token");
        metric(draft, run, "time_to_first_token_ms", "ttft", "");
        metric(draft, run, "inter_token_latency_ms", "tpot", "A");
        metric(draft, run, "e2e_latency_ms", "e2e", "");
        draft.rate("requests_per_s", run.find("request_rate"));
        draft.rate("output_tokens_per_s", run.find("token_throughput_secs"));
        run.find("failed_requests")
                .map(JsonAt::asLong)
                .filter(n -> n > 0)
                .ifPresent(n -> draft.warn(n + " requests failed and are in none of the figures"));
        return draft.done();
    }

    private static void metric(Draft draft, JsonAt run, String theirs, String ours, String definition) {
        run.find(theirs).ifPresent(at -> {
            draft.aggregate(ours, definition, "mean", at.find("avg"), NS_PER_MS);
            for (String p : List.of("p50", "p75", "p90", "p95", "p99")) {
                draft.aggregate(ours, definition, p, at.find(p), NS_PER_MS);
            }
        });
    }
}
