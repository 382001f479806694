package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.RunFact;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.io.yaml.Yaml;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The llm-d Benchmark Report, YAML or JSON, with results of several tools in one schema. Each metric has its unit. */
public final class BenchmarkReportFormat extends ResultFormat {
    public BenchmarkReportFormat() {
        super("benchmark_report", "an llm-d Benchmark Report, YAML or JSON");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("scenario", "metrics")
                || (file.hasMembers("scenario", "results")
                        && file.first().orElseThrow().get("results").has("request_performance"))
                || (file.first().isEmpty()
                        && file.head().lines().anyMatch(line -> line.startsWith("scenario:"))
                        && (file.head().lines().anyMatch(line -> line.startsWith("metrics:"))
                                || file.head().contains("request_performance:")));
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "a Benchmark Report contains the aggregates of one run");
        // JSON is a subset of YAML
        LocatedJson json = Yaml.read(file);
        MeasurementBuilder builder = new MeasurementBuilder(name(), "llm-d Benchmark Report", json.source());
        if (json.has("results")) {
            BenchmarkReport2.read(json, builder);
            return builder.done();
        }
        LocatedJson scenario = json.get("scenario");
        builder.model(scenario.find("model", "name"));
        scenario.find("platform", "engine").ifPresent(engines -> {
            List<LocatedJson> all = engines.isArray() ? engines.items() : List.of(engines);
            all.stream().limit(1).forEach(engine -> {
                builder.engine(engine);
                engine.find("args").ifPresent(builder::settings);
            });
        });
        scenario.find("load").ifPresent(builder::settings);
        builder.fact(RunFact.SENT_REQUESTS, json.find("metrics", "requests", "total"));
        builder.fact(RunFact.DURATION_NS, json.find("metrics", "time", "duration"), NS_PER_S);
        builder.failed(json.find("metrics", "requests", "failures"));
        latency(
                builder,
                json.get("metrics").get("latency"),
                scenario.find("load").map(load -> load.text("name", "")).orElse(""));
        Optional<LocatedJson> rates = json.get("metrics").find("throughput");
        builder.rate("requests_per_s", rates.flatMap(at -> at.find("requests_per_sec")));
        builder.rate("output_tokens_per_s", rates.flatMap(at -> at.find("output_tokens_per_sec")));
        builder.rate("total_tokens_per_s", rates.flatMap(at -> at.find("total_tokens_per_sec")));
        return builder.done();
    }

    /** The times, each with its unit. The report keeps the names of the tool, which GuideLLM defines differently. */
    static void latency(MeasurementBuilder builder, LocatedJson latency, String tool) {
        boolean isGuidellm = tool.toLowerCase(Locale.ROOT).contains("guidellm");
        metric(builder, latency, "time_to_first_token", "ttft", "");
        metric(builder, latency, "request_latency", "e2e", "");
        metric(builder, latency, "normalized_time_per_output_token", "norm_latency", "D");
        if (isGuidellm) {
            builder.means("tpot", "A: GuideLLM's inter_token_latency, since 0.8 weighted by tokens");
            builder.means("norm_latency", "D: GuideLLM's time_per_output_token, since 0.8 weighted by tokens");
        }
        metric(builder, latency, "time_per_output_token", isGuidellm ? "norm_latency" : "tpot", isGuidellm ? "D" : "A");
        metric(builder, latency, "inter_token_latency", isGuidellm ? "tpot" : "token_gap", isGuidellm ? "A" : "B");
    }

    private static void metric(
            MeasurementBuilder builder, LocatedJson latency, String theirs, String ours, String definition) {
        latency.find(theirs)
                .ifPresent(at -> builder.statistics(ours, definition, Optional.of(at), ToolUnits.ns(at.get("units"))));
    }

    /**
     * The second schema of llm-d's Benchmark Report: the stack as a list of components, and the metrics of the whole run
     * under {@code results.request_performance.aggregate}.
     */
    private static final class BenchmarkReport2 {
        private static final List<String> MODEL = List.of("model", "model_name", "model_id");

        private BenchmarkReport2() {}

        static void read(LocatedJson json, MeasurementBuilder builder) {
            LocatedJson scenario = json.get("scenario");
            List<LocatedJson> stack =
                    scenario.find("stack").map(LocatedJson::items).orElse(List.of());
            stack.stream()
                    .filter(part -> kind(part).contains("inference_engine")
                            || standard(part).has("model"))
                    .findFirst()
                    .ifPresent(part -> engine(builder, part));
            Optional<LocatedJson> load = scenario.find("load", "standardized");
            load.ifPresent(builder::settings);
            builder.closedLoop(load.filter(at -> !at.has("rate_qps")).flatMap(at -> at.find("concurrency")));
            scenario.find("load", "native", "config").ifPresent(config -> nativeModel(builder, config));
            duration(builder, json.find("run", "time", "duration"));
            LocatedJson aggregate =
                    json.get("results").get("request_performance").get("aggregate");
            builder.promptTokens(mean(aggregate, "input_length"));
            builder.outputTokens(mean(aggregate, "output_length"));
            BenchmarkReportFormat.latency(
                    builder,
                    aggregate.get("latency"),
                    load.map(at -> at.text("tool", "")).orElse(""));
            aggregate.find("throughput").ifPresent(rates -> {
                rate(builder, "requests_per_s", rates.find("request_rate"));
                rate(builder, "output_tokens_per_s", rates.find("output_token_rate"));
                rate(builder, "total_tokens_per_s", rates.find("total_token_rate"));
            });
            builder.fact(RunFact.SENT_REQUESTS, aggregate.find("requests", "total"));
            builder.failed(aggregate.find("requests", "failures"));
        }

        /** Reads the model from the configuration of the tool, because a report of a client alone has no stack. */
        private static void nativeModel(MeasurementBuilder builder, LocatedJson config) {
            Stream.of(Optional.of(config), config.find("server"), config.find("spec", "backend"), config.find("args"))
                    .flatMap(Optional::stream)
                    .filter(LocatedJson::isObject)
                    .flatMap(at -> MODEL.stream().flatMap(name -> at.find(name).stream()))
                    .filter(at -> at.value() instanceof JsonValue.Str)
                    .findFirst()
                    .ifPresent(name -> builder.model(Optional.of(name)));
        }

        private static void duration(MeasurementBuilder builder, Optional<LocatedJson> duration) {
            duration.ifPresent(at -> {
                try {
                    double seconds = Duration.parse(at.asString().replaceAll("(\\.\\d{9})\\d+", "$1"))
                                    .toNanos()
                            / NS_PER_S;
                    builder.fact(
                            RunFact.DURATION_NS,
                            Optional.of(new LocatedJson(at.source(), at.pointer(), JsonValue.of(seconds))),
                            NS_PER_S);
                } catch (DateTimeParseException e) {
                    throw at.expected("a duration such as PT1.5S");
                }
            });
        }

        private static Optional<Double> mean(LocatedJson aggregate, String name) {
            return aggregate.find("requests", name, "mean").map(LocatedJson::asDouble);
        }

        private static String kind(LocatedJson part) {
            return part.find("component_type")
                    .or(() -> standard(part).find("kind"))
                    .filter(at -> at.value() instanceof JsonValue.Str)
                    .map(LocatedJson::asString)
                    .orElse("");
        }

        private static LocatedJson standard(LocatedJson part) {
            return part.find("standardized").orElse(part);
        }

        private static void engine(MeasurementBuilder builder, LocatedJson part) {
            LocatedJson standard = standard(part);
            builder.model(standard.find("model", "name"));
            builder.engine("name", standard.find("tool")).engine("version", standard.find("tool_version"));
            standard.find("parallelism").ifPresent(builder::settings);
            standard.find("accelerator").ifPresent(at -> builder.engine("accelerator", at.find("model")));
            Optional<LocatedJson> arguments = part.find("native", "args");
            arguments.filter(LocatedJson::isObject).ifPresent(args -> args.members()
                    .forEach((name, value) ->
                            builder.setting(name.replaceFirst("^--", "").replace('-', '_'), value)));
        }

        private static void rate(MeasurementBuilder builder, String name, Optional<LocatedJson> rate) {
            rate.ifPresent(at -> builder.rate(
                    name, at.isObject() ? at.find("mean") : rate, at.isObject() ? at.find("units") : Optional.empty()));
        }
    }
}
