package dev.stagesim.io.measured;

import dev.stagesim.contract.Member;
import dev.stagesim.io.json.LocatedJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One aggregate that the measurement's author published, as {@code measurement.json} has it. */
public record Published(
        @Member("ttft, tpot, token_gap, e2e or norm_latency.") String metric,
        @Member("Letter of the definition, or empty.") String definition,
        @Member("mean, max or a percentile such as p99.9.") String statistic,
        @Member("The value.") double valueNs,
        @Member(value = "Number of samples; absent if not stated.", isLeftOut = true) Optional<Long> n,
        @Member(value = "Quantile method; absent if not stated.", isLeftOut = true) Optional<String> method) {
    /** Names of each statistic in the tools, the preferred name first. */
    static final Map<String, List<String>> SPELLINGS = new LinkedHashMap<>();

    static {
        SPELLINGS.put("mean", List.of("mean", "avg", "average"));
        SPELLINGS.put("min", List.of("min", "minimum"));
        SPELLINGS.put("max", List.of("max", "maximum"));
        List.of("p25", "p50", "p75", "p90", "p95", "p99").forEach(name -> SPELLINGS.put(name, List.of(name)));
        SPELLINGS.put("p50", List.of("median", "p50"));
        SPELLINGS.put("p99.9", List.of("p99p9", "p99.9"));
    }

    /** The lowest sample that a share of the requests does not exceed, without interpolation. */
    public static final String INVERSE = "inverse of the distribution";

    /** Each request counts once per token, or once per gap for the time between tokens. */
    public static final String WEIGHTED = "inverse of the distribution, weighted by tokens";

    static final String STATISTICS = "mean, max or a percentile from p0 to p100, such as p99.9";

    private static final List<String> METRICS = List.of("ttft", "tpot", "token_gap", "e2e", "norm_latency");

    static boolean isStatistic(String name) {
        return name.matches("mean|max|p\\d{1,2}(\\.\\d+)?|p100(\\.0+)?");
    }

    public static Published read(LocatedJson json) {
        json.allowOnly(List.of("metric", "definition", "statistic", "value_ns", "n", "method"));
        String metric = json.get("metric").asString();
        if (!METRICS.contains(metric)) {
            throw json.get("metric").expected("one of " + String.join(", ", METRICS));
        }
        String statistic = json.get("statistic").asString();
        if (!isStatistic(statistic)) {
            throw json.get("statistic").expected(STATISTICS);
        }
        Optional<Long> n = json.find("n").map(LocatedJson::asLong);
        if (n.isPresent() && n.get() < 0) {
            throw json.get("n").expected("a number from 0");
        }
        return new Published(
                metric,
                json.text("definition", ""),
                statistic,
                json.get("value_ns").asDouble(),
                n,
                json.find("method").map(LocatedJson::asString));
    }
}
