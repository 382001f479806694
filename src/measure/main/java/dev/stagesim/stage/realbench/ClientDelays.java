package dev.stagesim.stage.realbench;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.bench.ReplayOutcome;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Delays of the client, which show if it was the bottleneck and how exact its time stamps are.
 *
 * @param sendDelayNs delay of each request after its due time
 * @param wakeLateNs delay of a thread that only slept
 * @param roundTripNs times of requests that need no computation, during the measurement
 */
record ClientDelays(double[] sendDelayNs, double[] wakeLateNs, double[] roundTripNs) {
    /** A larger delay is attributed to the client. */
    private static final double LATE_NS = 10e6;

    static ClientDelays of(List<ReplayOutcome> outcomes, double[] wakeLateNs, double[] roundTripNs) {
        return new ClientDelays(
                outcomes.stream()
                        .filter(o -> o.sentNs() >= 0)
                        .mapToDouble(ReplayOutcome::delayNs)
                        .toArray(),
                wakeLateNs,
                roundTripNs);
    }

    private Map<String, double[]> samples() {
        Map<String, double[]> samples = new LinkedHashMap<>();
        samples.put("send_delay", sendDelayNs);
        samples.put("wake_late", wakeLateNs);
        samples.put("round_trip", roundTripNs);
        return samples;
    }

    /** Returns the headline values by name. */
    Map<String, Double> headlines() {
        Map<String, Double> figures = new LinkedHashMap<>();
        put(figures, "send_delay_p99_ms", sendDelayNs, 0.99);
        put(figures, "client_late_p99_ms", wakeLateNs, 0.99);
        put(figures, "round_trip_p50_ms", roundTripNs, 0.5);
        put(figures, "round_trip_p95_ms", roundTripNs, 0.95);
        return figures;
    }

    private static void put(Map<String, Double> figures, String name, double[] values, double quantile) {
        if (values.length > 0) {
            figures.put(name, Quantiles.of(values, quantile) / NS_PER_MS);
        }
    }

    /**
     * Returns warnings; empty if the client kept up.
     *
     * @param limit maximum number of requests in flight, if the workload has more
     */
    List<String> warnings(OptionalInt limit) {
        List<String> warnings = new ArrayList<>();
        if (late(wakeLateNs)) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "the client was overloaded (its threads woke up to %.1f ms late at P99), so timestamps"
                            + " may be late",
                    Quantiles.of(wakeLateNs, 0.99) / NS_PER_MS));
        }
        if (late(sendDelayNs)) {
            double ms = Quantiles.of(sendDelayNs, 0.99) / NS_PER_MS;
            warnings.add(
                    limit.isPresent()
                            ? String.format(
                                    Locale.ROOT,
                                    "requests waited in the client for endpoint.max_concurrency=%d (P99 %.1f ms); their latency"
                                            + " counts from when they were due",
                                    limit.getAsInt(),
                                    ms)
                            : String.format(
                                    Locale.ROOT,
                                    "the client, not the server, was the bottleneck: it sent requests late (P99 %.1f ms)",
                                    ms));
        }
        return warnings;
    }

    private static boolean late(double[] values) {
        return values.length > 0 && Quantiles.of(values, 0.99) > LATE_NS;
    }

    /** Returns the member of {@code measurement.json}: counts and percentiles in ns. */
    JsonValue json() {
        JsonObjectBuilder out = JsonValue.object();
        samples().forEach((name, values) -> {
            if (values.length > 0) {
                double[] sorted = Quantiles.sorted(values);
                out.put(name + "_n", (long) values.length);
                out.put(name + "_p50_ns", Quantiles.ofSorted(sorted, 0.5));
                out.put(name + "_p95_ns", Quantiles.ofSorted(sorted, 0.95));
                out.put(name + "_p99_ns", Quantiles.ofSorted(sorted, 0.99));
            }
        });
        return out.build();
    }
}
