package dev.stagesim.io.measured;

import dev.stagesim.contract.Member;
import dev.stagesim.io.json.JsonAt;
import java.util.List;
import java.util.Optional;

/** One aggregate that the measurement's author published, as {@code measurement.json} has it. */
public record Published(
        @Member("ttft, tpot, token_gap, e2e or norm_latency.") String metric,
        @Member("Letter of the definition; empty for none.") String definition,
        @Member("mean, max or a percentile such as p99.9.") String statistic,
        @Member("The value.") double valueNs,
        @Member(value = "Number of values behind it; absent when not stated.", isLeftOut = true) Optional<Long> n,
        @Member(value = "Quantile method; absent when not stated.", isLeftOut = true) Optional<String> method) {
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
}
