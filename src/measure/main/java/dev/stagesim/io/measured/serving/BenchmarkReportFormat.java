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
import java.util.List;
import java.util.Optional;

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
        latency(builder, json.get("metrics").get("latency"));
        Optional<LocatedJson> rates = json.get("metrics").find("throughput");
        builder.rate("requests_per_s", rates.flatMap(at -> at.find("requests_per_sec")));
        builder.rate("output_tokens_per_s", rates.flatMap(at -> at.find("output_tokens_per_sec")));
        builder.rate("total_tokens_per_s", rates.flatMap(at -> at.find("total_tokens_per_sec")));
        return builder.done();
    }

    /** The times, each with its unit. */
    static void latency(MeasurementBuilder builder, LocatedJson latency) {
        metric(builder, latency, "time_to_first_token", "ttft", "");
        metric(builder, latency, "time_per_output_token", "tpot", "A");
        metric(builder, latency, "normalized_time_per_output_token", "norm_latency", "D");
        metric(builder, latency, "inter_token_latency", "token_gap", "B");
        metric(builder, latency, "request_latency", "e2e", "");
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
            scenario.find("load", "standardized").ifPresent(builder::settings);
            LocatedJson aggregate =
                    json.get("results").get("request_performance").get("aggregate");
            BenchmarkReportFormat.latency(builder, aggregate.get("latency"));
            aggregate.find("throughput").ifPresent(rates -> {
                rate(builder, "requests_per_s", rates.find("request_rate"));
                rate(builder, "output_tokens_per_s", rates.find("output_token_rate"));
                rate(builder, "total_tokens_per_s", rates.find("total_token_rate"));
            });
            builder.fact(RunFact.SENT_REQUESTS, aggregate.find("requests", "total"));
            builder.failed(aggregate.find("requests", "failures"));
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
