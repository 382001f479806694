package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ResultSelector;
import dev.stagesim.io.measured.RunFact;
import java.io.IOException;
import java.nio.file.Path;

/** Results of Hugging Face's inference-benchmarker: aggregates in ms of the runs of a sweep. */
public final class HfBenchmarkerFormat extends ResultFormat {
    public HfBenchmarkerFormat() {
        super("hf_benchmarker", "results/*.json of Hugging Face's inference-benchmarker");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("results", "config") && file.head().contains("\"time_to_first_token_ms\"");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "the file has aggregates only");
        LocatedJson root = ResultSelector.pick(file, ReadOptions.NONE, at -> "");
        LocatedJson run = ResultSelector.pick(
                root.get("results").items(), root.source(), options, at -> " (" + at.text("id", "") + ")");
        MeasurementBuilder builder = new MeasurementBuilder(name(), "inference-benchmarker", root.source());
        builder.model(root.get("config").find("model_name")).settings(root.get("config"));
        builder.means("tpot", "A: inter_token_latency_ms, a mean for each request without the first token");
        builder.statistics("ttft", "", run.find("time_to_first_token_ms"), NS_PER_MS);
        builder.statistics("tpot", "A", run.find("inter_token_latency_ms"), NS_PER_MS);
        builder.statistics("e2e", "", run.find("e2e_latency_ms"), NS_PER_MS);
        builder.fact(RunFact.SENT_REQUESTS, run.find("total_requests"))
                .fact(RunFact.COMPLETED_REQUESTS, run.find("successful_requests"))
                .fact(RunFact.OUTPUT_TOKENS, run.find("total_tokens"), 1)
                .fact(RunFact.DURATION_NS, run.find("duration_ms"), NS_PER_MS);
        builder.rate("requests_per_s", run.find("request_rate"));
        builder.rate("output_tokens_per_s", run.find("token_throughput_secs"));
        return builder.failed(run.find("failed_requests")).done();
    }
}
