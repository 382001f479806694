package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_S;

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

/** JSON of {@code vllm bench throughput} and {@code vllm bench latency}: no arrivals, no first tokens. */
public final class VllmOfflineFormat extends ResultFormat {
    public VllmOfflineFormat() {
        super("vllm_offline", "JSON of vllm bench throughput or vllm bench latency --output-json");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("elapsed_time", "total_num_tokens") || file.hasMembers("avg_latency", "latencies");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "an offline benchmark has no arrivals");
        LocatedJson json = ResultSelector.pick(file, options, at -> "");
        MeasurementBuilder builder =
                new MeasurementBuilder(name(), "vllm bench", json.source()).model(json.find("model_id"));
        builder.settings(json, "elapsed_time", "avg_latency");
        if (json.has("latencies")) {
            builder.means("e2e", "one whole batch, from call to last token").derive("e2e");
            for (LocatedJson latency : json.get("latencies").items()) {
                long ns = ToolUnits.nanos(latency.asDouble());
                builder.undated(
                        latency.where(), Request.completed("batch " + latency.pointer(), 0, ns, ns, 0, 1, new long[0]));
            }
        } else {
            builder.fact(RunFact.COMPLETED_REQUESTS, json.find("num_requests"))
                    .fact(RunFact.TOTAL_TOKENS, json.find("total_num_tokens"), 1)
                    .fact(RunFact.DURATION_NS, json.find("elapsed_time"), NS_PER_S);
            builder.rate("requests_per_s", json.find("requests_per_second"));
            // this rate counts prompt and output tokens, although its name does not say so
            builder.rate("total_tokens_per_s", json.find("tokens_per_second"));
        }
        return builder.done();
    }
}
