package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import java.util.List;
import java.util.Optional;

/**
 * One aggregate that the measurement's author published.
 *
 * @param metric {@code ttft}, {@code tpot}, {@code token_gap}, {@code e2e} or {@code norm_latency}
 * @param definition letter of the definition, as the comparison's specification lists them; empty for none
 * @param statistic {@code mean} or a percentile such as {@code p99.9}
 * @param n number of values behind it, where stated
 * @param method quantile method, where stated
 */
public record Published(
        String metric, String definition, String statistic, double valueNs, Optional<Long> n, Optional<String> method) {
    private static final List<String> METRICS = List.of("ttft", "tpot", "token_gap", "e2e", "norm_latency");

    static Published read(JsonAt json) {
        json.allowOnly(List.of("metric", "definition", "statistic", "value_ns", "n", "method"));
        String metric = json.get("metric").asString();
        if (!METRICS.contains(metric)) {
            throw json.get("metric").expected("one of " + String.join(", ", METRICS));
        }
        String statistic = json.get("statistic").asString();
        if (!statistic.matches("mean|max|p\\d+(\\.\\d+)?")) {
            throw json.get("statistic").expected("mean, max or a percentile such as p99.9");
        }
        Optional<Long> n = json.find("n").map(JsonAt::asLong);
        if (n.isPresent() && n.get() < 0) {
            throw json.get("n").expected("a number from 0");
        }
        return new Published(
                metric,
                json.text("definition", ""),
                statistic,
                json.get("value_ns").asDouble(),
                n,
                json.find("method").map(JsonAt::asString));
    }

    /** As a member of {@code measurement.json}. */
    public JsonValue json() {
        JsonObjectBuilder out = JsonValue.object()
                .put("metric", metric)
                .put("definition", definition)
                .put("statistic", statistic)
                .put("value_ns", valueNs);
        n.ifPresent(count -> out.put("n", count));
        method.ifPresent(name -> out.put("method", name));
        return out.build();
    }
}
