package dev.stagesim.io.measured.serving;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.measured.RunFact;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the aggregates of a vLLM result, and compares them with its request arrays. */
final class VllmAggregates {
    static final String TTFT = "send to first streamed chunk, network included";
    static final String TPOT = "A: (last chunk - first chunk) / (tokens - 1)";
    static final String TOKEN_GAP = "B: gaps between streamed chunks";

    private static final Pattern NAME = Pattern.compile("(mean|median|std|p\\d+(?:\\.\\d+)?)_(ttft|tpot|itl|e2el)_ms");

    /** Results that are not times. Every other member that ends in {@code _ms} is a time. */
    private static final Pattern RESULT = Pattern.compile(
            ".*_ms|duration|completed|failed|total_\\w+_tokens|\\w*_throughput|request_goodput|rtfx|max_output_tokens_per_s"
                    + "|max_concurrent_requests|spec_decode_\\w+");

    private static final Map<String, String> METRICS =
            Map.of("ttft", "ttft", "tpot", "tpot", "itl", "token_gap", "e2el", "e2e");
    private static final Map<String, String> DEFINITIONS = Map.of("tpot", "A", "itl", "B");

    /**
     * The product's names of rates. The maximum output rate counts chunks per second, and the acceptance rate is in
     * percent.
     */
    private static final Map<String, String> RATES = Map.of(
            "request_throughput", "requests_per_s",
            "output_throughput", "output_tokens_per_s",
            "total_token_throughput", "total_tokens_per_s",
            "request_goodput", "good_requests_per_s",
            "max_output_tokens_per_s", "max_output_chunks_per_s",
            "spec_decode_acceptance_rate", "accepted_draft_tokens_percent",
            "spec_decode_acceptance_length", "tokens_per_draft");

    private static final double AGREE = 0.005;

    private VllmAggregates() {}

    /** True if a member is a result, not a setting. */
    static boolean isResult(String name) {
        return RESULT.matcher(name).matches();
    }

    /** Returns a measurement without requests. */
    static Measurement measurement(LocatedJson json) {
        MeasurementBuilder builder = new MeasurementBuilder("vllm_bench_serve", "vllm bench serve", json.source())
                .model(json.find("model_id"));
        VllmResult.engine(json).members().forEach(builder::engine);
        Set<String> rest = new LinkedHashSet<>(VllmResult.ENGINE);
        json.members().keySet().stream().filter(VllmAggregates::isResult).forEach(rest::add);
        builder.settings(json, rest.toArray(String[]::new));
        builder.means("ttft", TTFT).means("tpot", TPOT).means("token_gap", TOKEN_GAP);
        json.members().forEach((name, value) -> take(builder, name, value));
        load(builder, json).failed(json.find("failed"));
        return builder.done();
    }

    /** Adds the number of requests and their mean lengths, if the result has the sums. */
    static MeasurementBuilder load(MeasurementBuilder builder, LocatedJson json) {
        builder.closedLoop(VllmResult.clients(json));
        long completed = json.find("completed").map(MeasurementBuilder::count).orElse(0L);
        Optional<LocatedJson> prompts = json.find("total_input_tokens");
        Optional<LocatedJson> outputs = json.find("total_output_tokens");
        return completed == 0 || prompts.isEmpty() || outputs.isEmpty()
                ? builder
                : builder.load(
                        completed,
                        prompts.get().asDouble() / completed,
                        outputs.get().asDouble() / completed);
    }

    /** Adds one member of a result to the aggregates or to the rates; other members are ignored. */
    static void take(MeasurementBuilder builder, String name, LocatedJson value) {
        Optional<LocatedJson> stated = Optional.of(value).filter(at -> !at.isNull());
        String rate = RATES.get(name);
        if (rate != null) {
            builder.rate(rate, stated);
        }
        switch (name) {
            case "num_prompts" -> builder.fact(RunFact.SENT_REQUESTS, stated);
            case "completed" -> builder.fact(RunFact.COMPLETED_REQUESTS, stated);
            case "failed" -> builder.fact(RunFact.FAILED_REQUESTS, stated);
            case "total_input_tokens" -> builder.fact(RunFact.PROMPT_TOKENS, stated, 1);
            case "total_output_tokens" -> builder.fact(RunFact.OUTPUT_TOKENS, stated, 1);
            case "duration" -> builder.fact(RunFact.DURATION_NS, stated, NS_PER_S);
            // vLLM takes 0 as no limit
            case "max_concurrency" -> builder.fact(RunFact.CLIENTS, stated.filter(at -> at.asDouble() != 0));
            default -> {}
        }
        Matcher matcher = NAME.matcher(name);
        if (matcher.matches() && !matcher.group(1).equals("std")) {
            builder.aggregate(
                    Objects.requireNonNull(METRICS.get(matcher.group(2))),
                    DEFINITIONS.getOrDefault(matcher.group(2), ""),
                    matcher.group(1).equals("median") ? "p50" : matcher.group(1),
                    stated,
                    NS_PER_MS,
                    Optional.of(Quantiles.METHOD));
        }
    }

    /** True if a result has aggregates of times. */
    static boolean isIn(LocatedJson json) {
        return json.members().entrySet().stream()
                .anyMatch(member -> NAME.matcher(member.getKey()).matches()
                        && !member.getValue().isNull());
    }

    /** Returns the contradictions between the request arrays and the aggregates of the file. */
    static List<String> disagreements(Measurement measurement, LocatedJson json) {
        Requests requests = measurement.requests();
        List<String> warnings = new ArrayList<>();
        long completed =
                requests.all().stream().filter(Requests.Request::completed).count();
        json.find("completed")
                .filter(at -> at.asLong() != completed)
                .ifPresent(at -> warnings.add(String.format(
                        Locale.ROOT,
                        "the file states %d completed requests, its arrays contain %d",
                        at.asLong(),
                        completed)));
        if (completed == 0 || json.has("queue_times")) {
            return warnings;
        }
        double[] ttft = requests.all().stream()
                .filter(Requests.Request::completed)
                .mapToDouble(r -> r.first() - r.arrival())
                .toArray();
        for (Published aggregate : measurement.published()) {
            if (aggregate.metric().equals("ttft")) {
                double own = aggregate.statistic().equals("mean")
                        ? Moments.mean(ttft)
                        : Quantiles.of(
                                ttft, Double.parseDouble(aggregate.statistic().substring(1)) / 100);
                if (Math.abs(own - aggregate.valueNs()) > AGREE * aggregate.valueNs()) {
                    warnings.add(String.format(
                            Locale.ROOT,
                            "the file states a ttft %s of %.3f ms, its arrays give %.3f ms",
                            aggregate.statistic(),
                            aggregate.valueNs() / NS_PER_MS,
                            own / NS_PER_MS));
                }
            }
        }
        return warnings;
    }
}
