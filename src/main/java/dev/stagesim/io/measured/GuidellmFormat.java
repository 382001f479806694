package dev.stagesim.io.measured;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Count;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code benchmarks.json} of GuideLLM: one benchmark for each rate of its sweep; of both schemas, of which the first has no median
 * among its percentiles and keeps its settings under {@code args}.
 *
 * <p>Latencies are in s and token times in ms; {@code p001} is the 0.1th percentile and {@code p01} the first. Its
 * inter-token latency is definition A, its time per output token definition D. The requests it keeps are a sample.
 */
final class GuidellmFormat extends ResultFormat {
    private static final Map<String, String> PERCENTILES = percentiles();

    GuidellmFormat() {
        super("guidellm", "benchmarks.json of GuideLLM");
    }

    private static Map<String, String> percentiles() {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("p25", "p25");
        names.put("p50", "p50");
        names.put("p75", "p75");
        names.put("p90", "p90");
        names.put("p95", "p95");
        names.put("p99", "p99");
        names.put("p999", "p99.9");
        return java.util.Collections.unmodifiableMap(names);
    }

    @Override
    boolean recognises(Glimpse file) {
        return file.hasMembers("benchmarks") || file.head().startsWith("benchmarks:");
    }

    @Override
    Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "GuideLLM's figures are aggregates");
        JsonAt root =
                file.toString().endsWith("yaml") ? Yaml.read(file) : Entries.pick(file, ReadOptions.NONE, at -> "");
        JsonAt run = Entries.pick(root.get("benchmarks").items(), root.source(), options, GuidellmFormat::label);
        Draft draft = new Draft(name(), "GuideLLM", root.source());
        root.find("metadata").ifPresent(at -> draft.engine("client_version", at.find("guidellm_version")));
        config(root, run).ifPresent(config -> {
            draft.settings(config);
            draft.model(config.find("model").filter(at -> at.value() instanceof JsonValue.Str));
        });
        draft.means("tpot", "A: inter_token_latency_ms");
        draft.means("norm_latency", "D: time_per_output_token_ms, the first token's wait included");
        JsonAt metrics = run.get("metrics");
        metric(draft, metrics, "time_to_first_token_ms", "ttft", "", NS_PER_MS);
        metric(draft, metrics, "inter_token_latency_ms", "tpot", "A", NS_PER_MS);
        metric(draft, metrics, "time_per_output_token_ms", "norm_latency", "D", NS_PER_MS);
        metric(draft, metrics, "request_latency", "e2e", "", NS_PER_S);
        requests(draft, run);
        draft.rate("requests_per_s", mean(metrics, "requests_per_second"));
        draft.rate("output_tokens_per_s", mean(metrics, "output_tokens_per_second"));
        return draft.done();
    }

    /** Failed requests are in none of the figures; those that are listed are a sample, so they are not read as requests. */
    private static void requests(Draft draft, JsonAt run) {
        Optional<JsonAt> kept = run.find("requests").filter(JsonAt::isObject);
        for (String status : List.of("incomplete", "errored")) {
            Optional<JsonAt> counted = run.get("metrics")
                    .find("request_latency")
                    .flatMap(at -> at.find(status))
                    .flatMap(at -> at.find("count"));
            long n = counted.map(JsonAt::asLong)
                    .or(() -> kept.flatMap(at -> at.find(status))
                            .map(at -> (long) at.items().size()))
                    .orElse(0L);
            if (n > 0) {
                draft.warn("no figure includes " + Count.of(n, "request") + " that ended as " + status);
            }
        }
        Optional<Long> all = successful(run.get("metrics"), "request_latency")
                .flatMap(at -> at.find("count"))
                .map(JsonAt::asLong);
        kept.flatMap(at -> at.find("successful"))
                .map(at -> (long) at.items().size())
                .filter(n -> n > 0 && all.filter(count -> count > n).isPresent())
                .ifPresent(n -> draft.warn(
                        "the file keeps " + n + " of " + all.orElseThrow() + " requests: a sample, which is not read"));
    }

    private static Optional<JsonAt> config(JsonAt root, JsonAt run) {
        return run.find("config").or(() -> run.find("args")).or(() -> root.find("config"));
    }

    private static String label(JsonAt run) {
        return run.find("metrics")
                .flatMap(metrics -> mean(metrics, "requests_per_second"))
                .map(rate -> " (" + rate.asDouble() + " requests/s)")
                .orElse("");
    }

    private static Optional<JsonAt> successful(JsonAt metrics, String name) {
        return metrics.find(name).flatMap(at -> at.find("successful"));
    }

    private static Optional<JsonAt> mean(JsonAt metrics, String name) {
        return successful(metrics, name).flatMap(at -> at.find("mean"));
    }

    private static void metric(
            Draft draft, JsonAt metrics, String theirs, String ours, String definition, double unit) {
        successful(metrics, theirs).ifPresent(at -> {
            draft.aggregate(ours, definition, "mean", at.find("mean"), unit);
            draft.aggregate(ours, definition, "max", at.find("max"), unit);
            draft.aggregate(ours, definition, "p50", at.find("median"), unit);
            Optional<JsonAt> percentiles = at.find("percentiles");
            PERCENTILES.forEach((theirName, name) ->
                    draft.aggregate(ours, definition, name, percentiles.flatMap(p -> p.find(theirName)), unit));
        });
    }
}
