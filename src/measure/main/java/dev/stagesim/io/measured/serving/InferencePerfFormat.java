package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
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
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Count;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Lifecycle metrics of inference-perf: of the run, of a stage, or of each request. All times are in seconds, although its
 * documentation names other units.
 *
 * <p>A server that sends two events per token makes every second gap almost zero. Such gaps are left out.
 */
public final class InferencePerfFormat extends ResultFormat {
    private static final String REQUESTS = "per_request_lifecycle_metrics.json";
    private static final String SUMMARY = "summary_lifecycle_metrics.json";
    private static final double PAIRED = 0.2;

    public InferencePerfFormat() {
        super(
                "inference_perf",
                "per_request_lifecycle_metrics.json, summary_lifecycle_metrics.json or stage_N_lifecycle_metrics.json"
                        + " of inference-perf, or their directory");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("load_summary", "successes")
                || file.holds(REQUESTS)
                || file.holds(SUMMARY)
                || file.hasItems("start_time", "end_time", "info");
    }

    @Override
    public Measurement read(Path path, ReadOptions options) throws IOException {
        options.refuse(false, true, "inference-perf does not report the wait in the client");
        Path file = !Files.isDirectory(path)
                ? path
                : path.resolve(Files.exists(path.resolve(REQUESTS)) ? REQUESTS : SUMMARY);
        MeasurementBuilder builder = new MeasurementBuilder(name(), "inference-perf", file.toString());
        config(file.resolveSibling("config.yaml"), builder);
        if (FormatProbe.at(file).head().stripLeading().startsWith("[")) {
            options.refuse(true, true, "the file has the requests of one run");
            return InferencePerfRequests.read(file, builder);
        }
        LocatedJson json = ResultSelector.pick(file, options, at -> "");
        builder.settings(json.get("load_summary"));
        LocatedJson latency = json.get("successes").get("latency");
        builder.statistics("ttft", "", latency.find("time_to_first_token"), NS_PER_S);
        builder.statistics("e2e", "", latency.find("request_latency"), NS_PER_S);
        builder.statistics("tpot", "A", latency.find("time_per_output_token"), NS_PER_S);
        builder.statistics("norm_latency", "D", latency.find("normalized_time_per_output_token"), NS_PER_S);
        if (pairs(latency)) {
            builder.warn(
                    "gaps between tokens are left out: their median is far below the time per output token, as when a"
                            + " server sends two events per token");
        } else {
            builder.statistics("token_gap", "B", latency.find("inter_token_latency"), NS_PER_S);
        }
        json.get("successes").find("throughput").ifPresent(at -> {
            builder.rate("requests_per_s", at.find("requests_per_sec"));
            builder.rate("output_tokens_per_s", at.find("output_tokens_per_sec"));
            builder.rate("total_tokens_per_s", at.find("total_tokens_per_sec"));
        });
        builder.fact(RunFact.SENT_REQUESTS, json.find("load_summary", "count"))
                .fact(RunFact.COMPLETED_REQUESTS, json.find("successes", "count"));
        json.find("load_summary", "requested_rate").ifPresent(rate -> builder.requestRate(rate.value()));
        builder.promptTokens(json.get("successes").find("prompt_len", "mean").map(LocatedJson::asDouble));
        json.get("successes")
                .find("output_len", "mean")
                .ifPresent(at -> builder.outputTokens(Optional.of(at.asDouble())));
        return builder.failed(json.find("failures", "count")).done();
    }

    /** Reads the model and the server from the configuration of the run, if it is next to the results. */
    private static void config(Path config, MeasurementBuilder builder) throws IOException {
        if (Files.exists(config)) {
            Yaml.read(config).find("server").ifPresent(server -> {
                builder.settings(server);
                builder.model(server.find("model_name"));
                builder.engine("name", server.find("type"));
            });
        }
    }

    private static boolean pairs(LocatedJson latency) {
        Optional<Double> gap = median(latency, "inter_token_latency");
        Optional<Double> token = median(latency, "time_per_output_token");
        return gap.isPresent() && token.isPresent() && gap.get() < PAIRED * token.get();
    }

    private static Optional<Double> median(LocatedJson latency, String name) {
        return latency.find(name)
                .flatMap(at -> at.find("median").or(() -> at.find("p50")))
                .map(LocatedJson::asDouble);
    }

    /** {@code per_request_lifecycle_metrics.json} of inference-perf: an array of requests with stamps in s of one clock. */
    private static final class InferencePerfRequests {
        private InferencePerfRequests() {}

        /**
         * One request of the file.
         *
         * @param info its lengths and token times; since version 0.7 in {@code responseMetrics}
         */
        private record Entry(double startTime, double endTime, Optional<Info> info, Optional<JsonValue> error) {
            boolean isFailed() {
                return error.filter(value -> !(value instanceof JsonValue.Null)).isPresent();
            }

            Optional<Answer> answer() {
                return info.map(
                        all -> all.responseMetrics().orElse(new Answer(all.outputTokens(), all.outputTokenTimes())));
            }

            double[] tokens() {
                return answer().flatMap(Answer::outputTokenTimes).orElse(new double[0]);
            }
        }

        private record Info(
                Optional<Long> inputTokens,
                Optional<Long> outputTokens,
                Optional<double[]> outputTokenTimes,
                Optional<Answer> responseMetrics) {}

        private record Answer(Optional<Long> outputTokens, Optional<double[]> outputTokenTimes) {}

        private record Row(
                String where, double start, double end, double[] tokens, long input, long output, boolean failed) {}

        static Measurement read(Path file, MeasurementBuilder builder) throws IOException {
            List<Row> rows = new ArrayList<>();
            try (JsonDocuments items = JsonDocuments.openItems(file, JsonMode.NON_FINITE)) {
                for (Optional<LocatedJson> item = items.next(); item.isPresent(); item = items.next()) {
                    rows.add(row(item.get()));
                }
            }
            // requests are in the order of their end
            rows.sort(Comparator.comparingDouble(Row::start));
            double origin = rows.isEmpty() ? 0 : rows.get(0).start();
            List<Row> untimed = rows.stream()
                    .filter(row -> !row.failed() && row.tokens().length == 0)
                    .toList();
            boolean hasTimes = rows.stream().anyMatch(row -> row.tokens().length > 0);
            for (int i = 0; i < rows.size(); i++) {
                Row row = rows.get(i);
                String id = "inference-perf-" + i;
                if (hasTimes && !untimed.contains(row)) {
                    builder.request(row.where(), request(row, id, origin));
                } else if (!hasTimes && !row.failed()) {
                    long latency = ToolUnits.nanos(row.end() - row.start());
                    builder.undated(
                            row.where(),
                            Request.completed(id, 0, latency, latency, row.input(), row.output(), new long[0]));
                }
            }
            if (!hasTimes) {
                builder.failed(rows.size() - untimed.size()).derive("e2e", "norm_latency");
                builder.warn("no record has token times, as without streaming: only whole latencies are read");
            } else if (!untimed.isEmpty()) {
                builder.warn("left out: " + Count.of(untimed.size(), "request")
                        + " without an error and without token times," + " for example "
                        + untimed.get(0).where());
            }
            builder.clock("the client's clock, s");
            builder.means("ttft", "start to first event with output");
            builder.means("tpot", "A: (last event - first event) / (tokens - 1)");
            builder.means("token_gap", "B: between events; a token may have several");
            return builder.done();
        }

        private static Row row(LocatedJson at) {
            Entry record = JsonBinder.FOREIGN.bind(at, Entry.class);
            return new Row(
                    at.where(),
                    record.startTime(),
                    record.endTime(),
                    record.tokens(),
                    record.info().flatMap(Info::inputTokens).orElse(0L),
                    record.answer().flatMap(Answer::outputTokens).orElse(0L),
                    record.isFailed());
        }

        private static Request request(Row row, String id, double origin) {
            long arrival = ToolUnits.nanos(row.start() - origin);
            if (row.failed()) {
                return Request.failed(id, arrival, row.input(), row.output(), RequestStatus.FAILED);
            }
            long[] chunks = new long[row.tokens().length];
            for (int i = 0; i < chunks.length; i++) {
                chunks[i] = ToolUnits.nanos(row.tokens()[i] - origin);
            }
            return Request.completed(
                    id, arrival, chunks[0], chunks[chunks.length - 1], row.input(), row.output(), chunks);
        }
    }
}
