package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.JsonFacts;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ResultSelector;
import dev.stagesim.io.measured.RunFact;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Count;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code benchmarks.json} of GuideLLM: one benchmark for each rate of its sweep, in both schemas. The first schema has the
 * median outside the percentiles and its settings under {@code args}.
 *
 * <p>Latencies are in s and token times in ms; {@code p001} is the 0.1th percentile and {@code p01} the first. Its
 * inter-token latency is definition A, and its time per output token is definition D. A percentile is the lowest sample
 * that the given share of requests does not exceed, or of tokens since version 0.8. The file may contain a sample of the
 * requests only.
 */
public final class GuidellmFormat extends ResultFormat {
    private static final List<String> PERCENTILES = List.of("p25", "p50", "p75", "p90", "p95", "p99", "p999");

    public GuidellmFormat() {
        super("guidellm", "benchmarks.json of GuideLLM");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("benchmarks") || file.head().startsWith("benchmarks:");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(false, true, "GuideLLM's times count from the sending");
        LocatedJson root = file.toString().endsWith("yaml")
                ? Yaml.read(file)
                : ResultSelector.pick(file, ReadOptions.NONE, at -> "");
        LocatedJson run =
                ResultSelector.pick(root.get("benchmarks").items(), root.source(), options, GuidellmFormat::label);
        MeasurementBuilder builder = new MeasurementBuilder(name(), "GuideLLM", root.source());
        root.find("metadata").ifPresent(at -> builder.engine("client_version", at.find("guidellm_version")));
        config(root, run).ifPresent(config -> {
            builder.settings(config);
            for (String section : List.of("strategy", "profile", "constraints")) {
                config.find(section).ifPresent(builder::nestedSettings);
            }
            config.find("strategy").filter(LocatedJson::isObject).ifPresent(strategy -> arrivals(builder, strategy));
            model(config).ifPresent(builder::model);
        });
        root.find("config", "spec").ifPresent(spec -> {
            model(spec).ifPresent(builder::model);
            spec.find("data").ifPresent(builder::nestedSettings);
        });
        LocatedJson metrics = run.get("metrics");
        builder.means("tpot", "A: inter_token_latency_ms" + weighted(metrics, "inter_token_latency_ms"));
        builder.means(
                "norm_latency",
                "D: time_per_output_token_ms, the first token's wait included"
                        + weighted(metrics, "time_per_output_token_ms"));
        metric(builder, metrics, "time_to_first_token_ms", "ttft", "", NS_PER_MS);
        metric(builder, metrics, "inter_token_latency_ms", "tpot", "A", NS_PER_MS);
        metric(builder, metrics, "time_per_output_token_ms", "norm_latency", "D", NS_PER_MS);
        metric(builder, metrics, "request_latency", "e2e", "", NS_PER_S);
        load(builder, metrics);
        requests(builder, run);
        run.find("warnings").map(LocatedJson::items).orElse(List.of()).stream()
                .map(at -> at.isObject()
                        ? at.find("note").or(() -> at.find("message")).orElse(at)
                        : at)
                .forEach(at -> builder.warn("GuideLLM warns: " + JsonFacts.text(at)));
        builder.rate("requests_per_s", mean(metrics, "requests_per_second"));
        builder.rate("output_tokens_per_s", mean(metrics, "output_tokens_per_second"));
        return builder.done();
    }

    private static void load(MeasurementBuilder builder, LocatedJson metrics) {
        builder.outputTokens(mean(metrics, "output_token_count").map(LocatedJson::asDouble));
        builder.promptTokens(mean(metrics, "prompt_token_count").map(LocatedJson::asDouble));
        builder.fact(
                RunFact.COMPLETED_REQUESTS,
                successful(metrics, "request_latency").flatMap(at -> at.find("count")));
        metrics.find("request_totals").ifPresent(totals -> builder.fact(RunFact.SENT_REQUESTS, totals.find("total"))
                .fact(RunFact.COMPLETED_REQUESTS, totals.find("successful")));
    }

    /** Reads the requests if the file has all of them. Failed requests are in no aggregate. */
    private static void requests(MeasurementBuilder builder, LocatedJson run) {
        Optional<LocatedJson> kept = run.find("requests").filter(LocatedJson::isObject);
        long successful = kept(kept, "successful").size();
        Optional<Long> all = successful(run.get("metrics"), "request_latency")
                .flatMap(at -> at.find("count"))
                .map(MeasurementBuilder::count);
        boolean isComplete = successful > 0 && all.isPresent() && all.get() == successful;
        for (String status : List.of("incomplete", "errored")) {
            long n = run.get("metrics")
                    .find("request_latency")
                    .flatMap(at -> at.find(status))
                    .flatMap(at -> at.find("count"))
                    .map(MeasurementBuilder::count)
                    .orElse((long) kept(kept, status).size());
            isComplete &= n == kept(kept, status).size();
            if (n > 0) {
                builder.warn(Count.of(n, "request") + " that ended as " + status + " are in no aggregate");
            }
        }
        if (isComplete && kept(kept, "successful").stream().map(Kept::of).allMatch(Kept::isDated)) {
            dated(builder, kept);
        } else if (successful > 0) {
            builder.warn("the file keeps " + successful + " of "
                    + all.map(String::valueOf).orElse("an unknown number of")
                    + " requests: " + (isComplete ? "their times are not in it" : "a sample, which is not read"));
        }
    }

    private static List<LocatedJson> kept(Optional<LocatedJson> requests, String status) {
        return requests.flatMap(at -> at.find(status)).map(LocatedJson::items).orElse(List.of());
    }

    /** One request of the file. Versions before 0.4 name its start {@code start_time}. */
    private record Kept(
            Optional<String> requestId,
            Optional<Double> requestStartTime,
            Optional<Double> startTime,
            Optional<Double> requestLatency,
            Optional<Double> timeToFirstTokenMs,
            Optional<Long> promptTokens,
            Optional<Long> outputTokens) {
        static Kept of(LocatedJson at) {
            return JsonBinder.FOREIGN.bind(at, Kept.class);
        }

        boolean isDated() {
            return Stream.of(started(), requestLatency, timeToFirstTokenMs, promptTokens, outputTokens)
                    .allMatch(Optional::isPresent);
        }

        Optional<Double> started() {
            return requestStartTime.or(() -> startTime);
        }

        Request request(String where, double origin, RequestStatus status) {
            String id = requestId.orElse(where);
            long arrival = ToolUnits.nanos(started().orElseThrow() - origin);
            if (status != RequestStatus.COMPLETED) {
                return Request.failed(id, arrival, promptTokens.orElse(0L), outputTokens.orElse(0L), status);
            }
            return Request.completed(
                    id,
                    arrival,
                    arrival + ToolUnits.round(timeToFirstTokenMs.orElseThrow() * NS_PER_MS),
                    arrival + ToolUnits.nanos(requestLatency.orElseThrow()),
                    promptTokens.orElseThrow(),
                    outputTokens.orElseThrow(),
                    new long[0]);
        }
    }

    private static void dated(MeasurementBuilder builder, Optional<LocatedJson> kept) {
        double origin = Stream.of("successful", "incomplete", "errored")
                .flatMap(status -> kept(kept, status).stream())
                .flatMap(request -> Kept.of(request).started().stream())
                .mapToDouble(Double::doubleValue)
                .min()
                .orElse(0);
        builder.clock("the client's clock, s; a request arrives when it is sent");
        dated(builder, kept(kept, "successful"), origin, RequestStatus.COMPLETED);
        dated(builder, kept(kept, "errored"), origin, RequestStatus.FAILED);
        dated(builder, kept(kept, "incomplete"), origin, RequestStatus.CANCELLED);
    }

    private static void dated(
            MeasurementBuilder builder, List<LocatedJson> requests, double origin, RequestStatus status) {
        for (LocatedJson at : requests) {
            Kept request = Kept.of(at);
            if (request.started().isPresent()) {
                builder.request(at.where(), request.request(at.where(), origin, status));
            }
        }
    }

    /** True if a time per token is weighted by tokens, as since version 0.8: its count is the number of tokens. */
    private static boolean isWeighted(LocatedJson metrics, String name) {
        Optional<Long> requests = count(metrics, "request_latency");
        return !name.equals("request_latency")
                && requests.isPresent()
                && count(metrics, name).filter(n -> n > requests.get()).isPresent();
    }

    private static Optional<Long> count(LocatedJson metrics, String name) {
        return successful(metrics, name).flatMap(at -> at.find("count")).map(LocatedJson::asLong);
    }

    private static String weighted(LocatedJson metrics, String name) {
        return isWeighted(metrics, name) ? ", each request weighted by its tokens" : "";
    }

    private static void arrivals(MeasurementBuilder builder, LocatedJson strategy) {
        switch (strategy.text("type_", "")) {
            case "synchronous" -> builder.closedLoop(1);
            case "concurrent" -> builder.closedLoop(strategy.find("streams"));
            case "constant", "poisson", "async" ->
                strategy.find("rate").ifPresent(rate -> builder.requestRate(rate.value()));
            case "throughput" -> builder.requestRate(JsonValue.of("inf"));
            default -> {}
        }
    }

    private static Optional<LocatedJson> config(LocatedJson root, LocatedJson run) {
        return run.find("config").or(() -> run.find("args")).or(() -> root.find("config"));
    }

    private static Optional<String> model(LocatedJson config) {
        return config.find("model")
                .filter(at -> at.value() instanceof JsonValue.Str)
                .or(() -> config.find("backend").filter(LocatedJson::isObject).flatMap(at -> at.find("model")))
                .or(() -> config.find("backend_kwargs")
                        .filter(LocatedJson::isObject)
                        .flatMap(at -> at.find("model")))
                .map(LocatedJson::asString);
    }

    private static String label(LocatedJson run) {
        return run.find("metrics")
                .flatMap(metrics -> mean(metrics, "requests_per_second"))
                .map(rate -> " (" + rate.asDouble() + " requests/s)")
                .orElse("");
    }

    private static Optional<LocatedJson> successful(LocatedJson metrics, String name) {
        return metrics.find(name).flatMap(at -> at.find("successful"));
    }

    private static Optional<LocatedJson> mean(LocatedJson metrics, String name) {
        return successful(metrics, name).flatMap(at -> at.find("mean"));
    }

    private static void metric(
            MeasurementBuilder builder,
            LocatedJson metrics,
            String theirs,
            String ours,
            String definition,
            double unit) {
        String method = isWeighted(metrics, theirs) ? Published.WEIGHTED : Published.INVERSE;
        successful(metrics, theirs).ifPresent(at -> {
            for (String name : List.of("mean", "min", "max")) {
                figure(builder, ours, definition, name, at.find(name), unit, method);
            }
            figure(builder, ours, definition, "p50", at.find("median"), unit, method);
            for (String name : PERCENTILES) {
                String ourName = name.equals("p999") ? "p99.9" : name;
                figure(builder, ours, definition, ourName, at.find("percentiles", name), unit, method);
            }
        });
    }

    private static void figure(
            MeasurementBuilder builder,
            String metric,
            String definition,
            String statistic,
            Optional<LocatedJson> value,
            double unit,
            String method) {
        builder.aggregate(metric, definition, statistic, value, unit, Optional.of(method));
    }
}
