package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The aggregates of a vLLM result, in ms there, and whether the request arrays bear them out. */
final class VllmAggregates {
    private static final Pattern NAME = Pattern.compile("(mean|median|std|p\\d+(?:\\.\\d+)?)_(ttft|tpot|itl|e2el)_ms");
    private static final Map<String, String> METRICS =
            Map.of("ttft", "ttft", "tpot", "tpot", "itl", "token_gap", "e2el", "e2e");
    private static final Map<String, String> DEFINITIONS = Map.of("tpot", "A", "itl", "B");
    private static final double NS_PER_MS = 1e6;
    private static final double AGREE = 0.005;

    private VllmAggregates() {}

    static boolean isAggregate(String name) {
        return NAME.matcher(name).matches();
    }

    /** The aggregates that say something: a metric that was never observed is 0 or NaN there. */
    static List<Published> read(JsonAt json) {
        List<Published> published = new ArrayList<>();
        json.members().forEach((name, value) -> {
            Matcher matcher = NAME.matcher(name);
            if (matcher.matches() && !matcher.group(1).equals("std") && isPositive(value)) {
                String statistic = matcher.group(1).equals("median") ? "p50" : matcher.group(1);
                published.add(new Published(
                        Objects.requireNonNull(METRICS.get(matcher.group(2))),
                        DEFINITIONS.getOrDefault(matcher.group(2), ""),
                        statistic,
                        value.asDouble() * NS_PER_MS,
                        Optional.empty(),
                        Optional.of(Quantiles.METHOD)));
            }
        });
        return published;
    }

    private static boolean isPositive(JsonAt value) {
        return !(value.value() instanceof JsonValue.Null) && value.asDouble() > 0 && Double.isFinite(value.asDouble());
    }

    /** Where the request arrays and the aggregates of the file tell different stories. */
    static List<String> disagreements(Requests requests, List<Published> published, JsonAt json) {
        List<String> warnings = new ArrayList<>();
        long completed =
                requests.all().stream().filter(Requests.Request::completed).count();
        json.find("completed")
                .filter(at -> at.asLong() != completed)
                .ifPresent(at -> warnings.add(String.format(
                        Locale.ROOT, "the file says %d completed, its arrays %d", at.asLong(), completed)));
        if (completed == 0 || json.has("queue_times")) {
            return warnings;
        }
        double[] ttft = requests.all().stream()
                .filter(Requests.Request::completed)
                .mapToDouble(r -> r.first() - r.arrival())
                .toArray();
        for (Published aggregate : published) {
            if (aggregate.metric().equals("ttft")) {
                double own = aggregate.statistic().equals("mean")
                        ? Moments.mean(ttft)
                        : Quantiles.of(
                                ttft, Double.parseDouble(aggregate.statistic().substring(1)) / 100);
                if (Math.abs(own - aggregate.valueNs()) > AGREE * aggregate.valueNs()) {
                    warnings.add(String.format(
                            Locale.ROOT,
                            "the file says ttft %s is %.3f ms, its arrays %.3f ms",
                            aggregate.statistic(),
                            aggregate.valueNs() / NS_PER_MS,
                            own / NS_PER_MS));
                }
            }
        }
        return warnings;
    }
}
