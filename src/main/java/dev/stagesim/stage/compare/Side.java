package dev.stagesim.stage.compare;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.stats.LogHistogram;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One of the two runs, read.
 *
 * @param label what the report calls it
 * @param runId id of the run
 * @param runType stage that made it
 * @param sha256 digest over its artifacts
 * @param model model it ran; empty when the run does not say
 * @param hardware hardware it ran on
 * @param rows its requests in order of id
 * @param tokens reads the gaps between its tokens, request by request; empty when it has no table of them
 * @param spread the gaps of all requests, where the run has counted them; empty otherwise
 * @param published aggregates that its author published
 * @param facts its settings and what else it says of itself, by dotted name
 */
record Side(
        String label,
        String runId,
        String runType,
        String sha256,
        Optional<String> model,
        Optional<String> hardware,
        List<RequestRow> rows,
        Optional<TokenGaps.Source> tokens,
        Optional<LogHistogram> spread,
        List<Aggregate> published,
        Map<String, JsonValue> facts) {
    /** A published aggregate: {@code mean}, {@code max} or {@code p<q>} of a metric. */
    record Aggregate(String metric, String definition, String statistic, double valueNs, Optional<Long> n) {}

    /** What a rule asks of a run, and the dotted name under which the run says it. */
    enum Fact {
        DECODE_HOST_US("steps.decode.host_us"),
        DECODE_STEP_US("steps.decode.step_us"),
        WEIGHT_READ_FLOOR_NS("weight_read_floor_ns"),
        PIPELINE_STAGES("cluster.num_pipeline_stages"),
        VIDUR_TOKEN_GAP_NS("other_simulations.vidur.token_gap_p50_ns"),
        VIDUR_TTFT_NS("other_simulations.vidur.ttft_p50_ns"),
        TTFT_DEFINITION("definitions.ttft"),
        WAKE_LATE_NS("clock_noise.wake_late_p95_ns"),
        SEND_DELAY_NS("clock_noise.send_delay_p95_ns"),
        ROUND_TRIP_NS("clock_noise.round_trip_p95_ns"),
        LEFT_ASIDE("served.left_aside"),
        SERVED_LATE_NS("served.late_p95_ns");

        private final String key;

        Fact(String key) {
            this.key = key;
        }

        String key() {
            return key;
        }
    }

    Optional<String> fact(Fact fact) {
        return fact(fact.key());
    }

    Optional<Double> number(Fact fact) {
        return number(fact.key());
    }

    Side {
        rows = List.copyOf(rows);
        published = List.copyOf(published);
    }

    /** True when its source told aggregates and no requests. */
    boolean aggregatesOnly() {
        return rows.isEmpty() && !published.isEmpty();
    }

    /** True when it has the times of each request's tokens. */
    boolean hasTokens() {
        return tokens.isPresent();
    }

    /** True when it has gaps between tokens, be it only those of all requests together. */
    boolean hasGaps() {
        return hasTokens() || spread.isPresent();
    }

    /**
     * The gaps of some requests; empty when the run does not tell those from the gaps of others.
     *
     * @param wanted number of tokens wanted, by request
     * @param most number of them that the run may have, by request
     */
    Optional<TokenGaps> gaps(Map<Long, Long> wanted, Map<Long, Long> most) {
        if (hasTokens()) {
            return tokens.map(source -> source.read(wanted));
        }
        long expected =
                most.values().stream().mapToLong(n -> Math.max(0, n - 1)).sum();
        return spread.filter(all -> all.count() == expected).map(TokenGaps::of);
    }

    /** A fact as text; empty when the run does not state it. */
    Optional<String> fact(String name) {
        return Optional.ofNullable(facts.get(name)).map(Side::text);
    }

    /** A fact as a number. */
    Optional<Double> number(String name) {
        JsonValue value = facts.get(name);
        if (value instanceof JsonValue.Int number) {
            return Optional.of((double) number.value());
        }
        return value instanceof JsonValue.Real real ? Optional.of(real.value()) : Optional.empty();
    }

    private static String text(JsonValue value) {
        return value instanceof JsonValue.Str str ? str.value() : dev.stagesim.io.json.Json.compact(value);
    }
}
