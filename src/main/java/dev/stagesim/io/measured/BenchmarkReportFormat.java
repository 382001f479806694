package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.yaml.Yaml;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The llm-d Benchmark Report, YAML or JSON: the form into which llm-d puts the results of several tools, each with its unit. */
final class BenchmarkReportFormat extends ResultFormat {
    private static final List<String> STATISTICS =
            List.of("mean", "max", "p25", "p50", "p75", "p90", "p95", "p99", "p99.9");

    BenchmarkReportFormat() {
        super("benchmark_report", "an llm-d Benchmark Report, YAML or JSON");
    }

    @Override
    boolean recognises(Glimpse file) {
        return file.hasMembers("scenario", "metrics")
                || (file.hasMembers("scenario", "results")
                        && file.first().orElseThrow().get("results").has("request_performance"))
                || (file.first().isEmpty()
                        && file.head().lines().anyMatch(line -> line.startsWith("scenario:"))
                        && (file.head().lines().anyMatch(line -> line.startsWith("metrics:"))
                                || file.head().contains("request_performance:")));
    }

    @Override
    Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "a Benchmark Report holds the aggregates of one run");
        // every JSON text is YAML too
        LocatedJson json = Yaml.read(file);
        Draft draft = new Draft(name(), "llm-d Benchmark Report", json.source());
        if (json.has("results")) {
            BenchmarkReport2.read(json, draft);
            return draft.done();
        }
        LocatedJson scenario = json.get("scenario");
        draft.model(scenario.find("model", "name"));
        scenario.find("platform", "engine").ifPresent(engines -> {
            List<LocatedJson> all = engines.isArray() ? engines.items() : List.of(engines);
            all.stream().limit(1).forEach(engine -> {
                draft.engine(engine);
                engine.find("args").ifPresent(draft::settings);
            });
        });
        scenario.find("load").ifPresent(draft::settings);
        latency(draft, json.get("metrics").get("latency"));
        Optional<LocatedJson> rates = json.get("metrics").find("throughput");
        draft.rate("requests_per_s", rates.flatMap(at -> at.find("requests_per_sec")));
        draft.rate("output_tokens_per_s", rates.flatMap(at -> at.find("output_tokens_per_sec")));
        draft.rate("total_tokens_per_s", rates.flatMap(at -> at.find("total_tokens_per_sec")));
        return draft.done();
    }

    /** The times, each with its unit. */
    static void latency(Draft draft, LocatedJson latency) {
        metric(draft, latency, "time_to_first_token", "ttft", "");
        metric(draft, latency, "time_per_output_token", "tpot", "A");
        metric(draft, latency, "normalized_time_per_output_token", "norm_latency", "D");
        metric(draft, latency, "inter_token_latency", "token_gap", "B");
        metric(draft, latency, "request_latency", "e2e", "");
    }

    private static void metric(Draft draft, LocatedJson latency, String theirs, String ours, String definition) {
        latency.find(theirs).ifPresent(at -> {
            double unit = Units.ns(at.get("units"));
            STATISTICS.forEach(s -> draft.aggregate(
                    ours, definition, s, at.find(s.replace("p99.9", "p99p9")).or(() -> at.find(s)), unit));
        });
    }

    /**
     * The second schema of llm-d's Benchmark Report: the stack as a list of components, the figures of the whole run under {@code
     * results.request_performance.aggregate}.
     */
    private static final class BenchmarkReport2 {
        private BenchmarkReport2() {}

        static void read(LocatedJson json, Draft draft) {
            LocatedJson scenario = json.get("scenario");
            List<LocatedJson> stack =
                    scenario.find("stack").map(LocatedJson::items).orElse(List.of());
            stack.stream()
                    .filter(part -> kind(part).contains("inference_engine")
                            || standard(part).has("model"))
                    .findFirst()
                    .ifPresent(part -> engine(draft, part));
            scenario.find("load", "standardized").ifPresent(draft::settings);
            LocatedJson aggregate =
                    json.get("results").get("request_performance").get("aggregate");
            BenchmarkReportFormat.latency(draft, aggregate.get("latency"));
            aggregate.find("throughput").ifPresent(rates -> {
                draft.rate("requests_per_s", mean(rates, "request_rate"));
                draft.rate("output_tokens_per_s", mean(rates, "output_token_rate"));
                draft.rate("total_tokens_per_s", mean(rates, "total_token_rate"));
            });
            draft.failed(aggregate.find("requests", "failures"));
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

        private static void engine(Draft draft, LocatedJson part) {
            LocatedJson standard = standard(part);
            draft.model(standard.find("model", "name"));
            draft.engine("name", standard.find("tool")).engine("version", standard.find("tool_version"));
            standard.find("parallelism").ifPresent(draft::settings);
            standard.find("accelerator").ifPresent(at -> draft.engine("accelerator", at.find("model")));
            Optional<LocatedJson> arguments = part.find("native", "args");
            arguments.filter(LocatedJson::isObject).ifPresent(args -> args.members()
                    .forEach((name, value) ->
                            draft.setting(name.replaceFirst("^--", "").replace('-', '_'), value)));
        }

        private static Optional<LocatedJson> mean(LocatedJson rates, String name) {
            return rates.find(name).flatMap(at -> at.isObject() ? at.find("mean") : Optional.of(at));
        }
    }
}
