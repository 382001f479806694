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
import dev.stagesim.model.Count;
import java.io.IOException;
import java.nio.file.Path;

/** {@code trtllm-bench --report_json}: aggregates in ms, with settings of the engine and the machine. */
public final class TrtllmFormat extends ResultFormat {
    public TrtllmFormat() {
        super("trtllm", "JSON of trtllm-bench --report_json");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("engine", "world_info", "performance");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "trtllm-bench reports aggregates");
        LocatedJson json = ResultSelector.pick(file, options, at -> "");
        MeasurementBuilder builder = new MeasurementBuilder(name(), "trtllm-bench", json.source());
        LocatedJson engine = json.get("engine");
        builder.model(engine.find("model")).engine(engine);
        builder.settings(json.get("world_info"));
        json.find("request_info").ifPresent(builder::settings);
        builder.fact(RunFact.DEVICES, json.find("world_info", "world_size"))
                .fact(RunFact.COMPLETED_REQUESTS, json.find("request_info", "num_requests"))
                .fact(RunFact.DURATION_NS, json.find("performance", "total_latency_ms"), NS_PER_MS);
        builder.outputTokens(json.find("request_info", "avg_output_length").map(LocatedJson::asDouble));
        builder.promptTokens(json.find("request_info", "avg_input_length").map(LocatedJson::asDouble));
        // the report states neither --concurrency nor a rate; its issue_rate is a mean wait
        json.find("request_info", "avg_num_concurrent_requests").ifPresent(at -> {
            long inFlight = Math.max(1, Math.round(at.asDouble()));
            builder.closedLoop(inFlight);
            builder.warn("the load is taken as a closed loop of " + Count.of(inFlight, "request")
                    + ", the mean in flight, as the report does not state it");
        });
        builder.means("tpot", "A: the first token left out");
        LocatedJson performance = json.get("performance");
        builder.statistics("e2e", "", performance.find("request_latency_percentiles_ms"), NS_PER_MS);
        builder.aggregate("e2e", "", "mean", performance.find("avg_request_latency_ms"), NS_PER_MS);
        builder.rate("requests_per_s", performance.find("request_throughput_req_s"));
        builder.rate("output_tokens_per_s", performance.find("system_output_throughput_tok_s"));
        builder.rate("total_tokens_per_s", performance.find("system_total_throughput_tok_s"));
        // the first includes the time of the prompt, the second does not
        builder.rate("user_tokens_per_s_with_prompt", performance.find("output_throughput_per_user_tok_s"));
        json.find("streaming_metrics").ifPresent(streaming -> {
            builder.rate("user_tokens_per_s_decoding", streaming.find("token_output_speed_tok_s"));
            builder.aggregate("ttft", "", "mean", streaming.find("avg_ttft_ms"), NS_PER_MS);
            builder.aggregate("tpot", "A", "mean", streaming.find("avg_tpot_ms"), NS_PER_MS);
            // these objects have no unit in their names; they are in ms like their averages
            builder.statistics("ttft", "", streaming.find("ttft_percentiles"), NS_PER_MS);
            builder.statistics("tpot", "A", streaming.find("tpot_percentiles"), NS_PER_MS);
        });
        return builder.done();
    }
}
