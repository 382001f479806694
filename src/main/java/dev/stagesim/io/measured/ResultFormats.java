package dev.stagesim.io.measured;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.ZipException;

/** All formats of measurements; a new one is one more line. */
public final class ResultFormats {
    private static final List<ResultFormat> ALL = List.of(
            new RecordedFormat(),
            new VllmFormat(),
            new VllmPytorchFormat(),
            new VllmOfflineFormat(),
            new SglangFormat(),
            new AiperfFormat(),
            new NvidiaSummaryFormat(),
            new GenaiPerfFormat(),
            new GuidellmFormat(),
            new InferencePerfFormat(),
            new BenchmarkReportFormat(),
            new LlmperfFormat(),
            new TrtllmFormat(),
            new LoadgenFormat(),
            new MlperfTrainingFormat(),
            new LlamaBenchFormat(),
            new HfBenchmarkerFormat(),
            new BlisFormat(),
            new VidurFormat(),
            new InferencexFormat(),
            new NcclTestsFormat(),
            new RcclTestsFormat(),
            new ChromeTraceFormat(),
            new NsightFormat(),
            new PrometheusFormat(),
            new EngineLogFormat());

    private ResultFormats() {}

    /** Names of the formats, as {@code real.source} spells them. */
    public static List<String> names() {
        return ALL.stream().map(ResultFormat::name).toList();
    }

    /**
     * Reads a measurement.
     *
     * @param source name of its format; empty to find out from the content
     */
    public static Measurement read(Path file, Optional<String> source, ReadOptions options) throws IOException {
        try {
            return of(file, source).read(file, options);
        } catch (EOFException | ZipException e) {
            throw StageException.input(
                    Problem.artifact(file.toString(), "the file is cut off, or its compression is damaged"), e);
        }
    }

    /** Returns the format of that name, or the format that recognises the file. */
    static ResultFormat of(Path file, Optional<String> source) throws IOException {
        if (Files.exists(file) && !Files.isDirectory(file)) {
            InputFile.regular(file);
        }
        if (!Files.exists(file)) {
            throw StageException.input(Problem.config("real.file", "there is no " + file)
                    .hint("give a benchmark result file, or the directory of a recording"));
        }
        Optional<Glimpse> glimpse = source.isPresent() ? Optional.empty() : Optional.of(Glimpse.at(file));
        for (ResultFormat format : ALL) {
            boolean named = source.filter(format.name()::equals).isPresent();
            if (named || glimpse.filter(format::recognises).isPresent()) {
                return format;
            }
        }
        if (glimpse.isPresent() && !glimpse.get().broken().isEmpty()) {
            throw StageException.input(glimpse.get().broken().stream()
                    .map(broken -> broken.hint(
                            "the file may be cut off; if it is not JSON at all, real.source=... says what it is: "
                                    + String.join(", ", names())))
                    .toList());
        }
        Problem problem = Problem.artifact(file.toString(), "not a measurement in a known format");
        for (ResultFormat format : ALL) {
            problem = problem.note(format.name(), format.describe());
        }
        throw StageException.input(
                problem.hint("real.source=... reads it as one of them without looking at its content"));
    }

    /** JSON of {@code vllm bench throughput} and {@code vllm bench latency}: no arrivals, no first tokens. */
    private static final class VllmOfflineFormat extends ResultFormat {
        VllmOfflineFormat() {
            super("vllm_offline", "JSON of vllm bench throughput or vllm bench latency --output-json");
        }

        @Override
        boolean recognises(Glimpse file) {
            return file.hasMembers("elapsed_time", "total_num_tokens") || file.hasMembers("avg_latency", "latencies");
        }

        @Override
        Measurement read(Path file, ReadOptions options) throws IOException {
            options.refuse(false, true, "an offline benchmark has no arrivals");
            LocatedJson json = Entries.pick(file, options, at -> "");
            Draft draft = new Draft(name(), "vllm bench", json.source()).model(json.find("model_id"));
            draft.settings(json, "elapsed_time", "avg_latency");
            if (json.has("latencies")) {
                draft.means("e2e", "one whole batch, from call to last token").derive("e2e");
                for (LocatedJson latency : json.get("latencies").items()) {
                    long ns = Units.round(latency.asDouble() * NS_PER_S);
                    draft.undated(
                            latency.where(),
                            Request.completed("batch " + latency.pointer(), 0, ns, ns, 0, 1, new long[0]));
                }
            } else {
                draft.rate("requests_per_s", json.find("requests_per_second"));
                // prompt and output tokens together, whatever the name suggests
                draft.rate("total_tokens_per_s", json.find("tokens_per_second"));
            }
            return draft.done();
        }
    }

    /** Results of Hugging Face's inference-benchmarker: a file holds the runs of a sweep, as aggregates in ms. */
    private static final class HfBenchmarkerFormat extends ResultFormat {
        HfBenchmarkerFormat() {
            super("hf_benchmarker", "results/*.json of Hugging Face's inference-benchmarker");
        }

        @Override
        boolean recognises(Glimpse file) {
            return file.hasMembers("results", "config") && file.head().contains("\"time_to_first_token_ms\"");
        }

        @Override
        Measurement read(Path file, ReadOptions options) throws IOException {
            options.refuse(false, true, "the file has aggregates only");
            LocatedJson root = Entries.pick(file, ReadOptions.NONE, at -> "");
            LocatedJson run = Entries.pick(
                    root.get("results").items(), root.source(), options, at -> " (" + at.text("id", "") + ")");
            Draft draft = new Draft(name(), "inference-benchmarker", root.source());
            draft.model(root.get("config").find("model_name")).settings(root.get("config"));
            draft.means("tpot", "A: inter_token_latency_ms, a mean for each request without the first token");
            metric(draft, run, "time_to_first_token_ms", "ttft", "");
            metric(draft, run, "inter_token_latency_ms", "tpot", "A");
            metric(draft, run, "e2e_latency_ms", "e2e", "");
            draft.rate("requests_per_s", run.find("request_rate"));
            draft.rate("output_tokens_per_s", run.find("token_throughput_secs"));
            return draft.failed(run.find("failed_requests")).done();
        }

        private static void metric(Draft draft, LocatedJson run, String theirs, String ours, String definition) {
            run.find(theirs).ifPresent(at -> {
                draft.aggregate(ours, definition, "mean", at.find("avg"), NS_PER_MS);
                for (String p : List.of("p50", "p75", "p90", "p95", "p99")) {
                    draft.aggregate(ours, definition, p, at.find(p), NS_PER_MS);
                }
            });
        }
    }

    /** {@code trtllm-bench --report_json}: aggregates in ms, with the engine's and the machine's settings. */
    private static final class TrtllmFormat extends ResultFormat {
        private static final Map<String, String> STATISTICS = new TreeMap<>(
                Map.of("p50", "p50", "p90", "p90", "p95", "p95", "p99", "p99", "maximum", "max", "average", "mean"));

        TrtllmFormat() {
            super("trtllm", "JSON of trtllm-bench --report_json");
        }

        @Override
        boolean recognises(Glimpse file) {
            return file.hasMembers("engine", "world_info", "performance");
        }

        @Override
        Measurement read(Path file, ReadOptions options) throws IOException {
            options.refuse(false, true, "trtllm-bench reports aggregates");
            LocatedJson json = Entries.pick(file, options, at -> "");
            Draft draft = new Draft(name(), "trtllm-bench", json.source());
            LocatedJson engine = json.get("engine");
            draft.model(engine.find("model")).engine(engine);
            draft.settings(json.get("world_info"));
            json.find("request_info").ifPresent(draft::settings);
            draft.means("tpot", "A: the first token left out");
            LocatedJson performance = json.get("performance");
            percentiles(draft, "e2e", "", performance.find("request_latency_percentiles_ms"));
            draft.aggregate("e2e", "", "mean", performance.find("avg_request_latency_ms"), NS_PER_MS);
            draft.rate("requests_per_s", performance.find("request_throughput_req_s"));
            draft.rate("output_tokens_per_s", performance.find("system_output_throughput_tok_s"));
            draft.rate("total_tokens_per_s", performance.find("system_total_throughput_tok_s"));
            // the first counts the time of the prompt, the second does not
            draft.rate("user_tokens_per_s_with_prompt", performance.find("output_throughput_per_user_tok_s"));
            json.find("streaming_metrics").ifPresent(streaming -> {
                draft.rate("user_tokens_per_s_decoding", streaming.find("token_output_speed_tok_s"));
                draft.aggregate("ttft", "", "mean", streaming.find("avg_ttft_ms"), NS_PER_MS);
                draft.aggregate("tpot", "A", "mean", streaming.find("avg_tpot_ms"), NS_PER_MS);
                // these objects have no unit in their names; they are in ms like their averages
                percentiles(draft, "ttft", "", streaming.find("ttft_percentiles"));
                percentiles(draft, "tpot", "A", streaming.find("tpot_percentiles"));
            });
            return draft.done();
        }

        private static void percentiles(Draft draft, String metric, String definition, Optional<LocatedJson> object) {
            object.ifPresent(at -> STATISTICS.forEach(
                    (theirs, ours) -> draft.aggregate(metric, definition, ours, at.find(theirs), NS_PER_MS)));
        }
    }

    /**
     * The {@code *.pytorch.json} that vLLM's benchmarks write beside their results for PyTorch's benchmark database: one record for each
     * metric, aggregates in ms. The result file beside it holds more.
     */
    private static final class VllmPytorchFormat extends ResultFormat {
        VllmPytorchFormat() {
            super("vllm_pytorch", "*.pytorch.json of vLLM's benchmarks: records for PyTorch's benchmark database");
        }

        @Override
        boolean recognises(Glimpse file) {
            return file.first()
                    .filter(LocatedJson::isArray)
                    .map(LocatedJson::items)
                    .filter(items -> !items.isEmpty())
                    .map(items -> items.get(0))
                    .filter(first -> first.isObject()
                            && first.has("benchmark")
                            && first.has("metric")
                            && first.get("metric").has("benchmark_values"))
                    .isPresent();
        }

        @Override
        Measurement read(Path file, ReadOptions options) throws IOException {
            options.refuse(true, true, "the file has the aggregates of one run");
            List<LocatedJson> records = ResultFile.document(file).items();
            if (records.isEmpty()) {
                throw StageException.input(Problem.artifact(file.toString(), "holds no record"));
            }
            LocatedJson first = records.get(0);
            Draft draft = new Draft(name(), "vLLM's benchmarks", file.toString());
            draft.model(first.find("model", "name"));
            draft.engine("name", JsonValue.of("vLLM"));
            first.get("benchmark").find("extra_info", "args").ifPresent(draft::settings);
            draft.means("tpot", VllmAggregates.TPOT).means("token_gap", VllmAggregates.TOKEN_GAP);
            for (LocatedJson record : records) {
                LocatedJson metric = record.get("metric");
                List<LocatedJson> values = metric.get("benchmark_values").items();
                if (!values.isEmpty()) {
                    VllmAggregates.take(draft, metric.get("name").asString(), values.get(values.size() - 1));
                }
            }
            draft.warn("the result file beside a *.pytorch.json may hold requests: give that one where it is there");
            return draft.done();
        }
    }
}
