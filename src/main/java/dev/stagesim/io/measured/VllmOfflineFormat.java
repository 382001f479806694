package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonAt;
import java.io.IOException;
import java.nio.file.Path;

/** JSON of {@code vllm bench throughput} and {@code vllm bench latency}: no arrivals, no first tokens. */
final class VllmOfflineFormat implements ResultFormat {
    private static final double NS_PER_S = 1e9;

    @Override
    public String name() {
        return "vllm_offline";
    }

    @Override
    public String describe() {
        return "JSON of vllm bench throughput or vllm bench latency --output-json";
    }

    @Override
    public boolean recognises(Glimpse file) {
        return file.hasMembers("elapsed_time", "total_num_tokens") || file.hasMembers("avg_latency", "latencies");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "an offline benchmark has no arrivals");
        JsonAt json = Entries.pick(file, options, at -> "");
        Draft draft = new Draft(name(), "vllm bench", json.source()).model(json.find("model_id"));
        draft.settings(json, "elapsed_time", "avg_latency");
        if (json.has("latencies")) {
            double[] seconds = json.get("latencies").asDoubles();
            double[] ns = new double[seconds.length];
            for (int i = 0; i < ns.length; i++) {
                ns[i] = seconds[i] * NS_PER_S;
            }
            draft.means("e2e", "one whole batch, from call to last token").values("e2e", "", ns);
        } else {
            draft.rate("requests_per_s", json.find("requests_per_second"));
            // prompt and output tokens together, whatever the name suggests
            draft.rate("total_tokens_per_s", json.find("tokens_per_second"));
        }
        return draft.done();
    }
}
