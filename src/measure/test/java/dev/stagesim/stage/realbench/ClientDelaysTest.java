package dev.stagesim.stage.realbench;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.bench.ReplayOutcome;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.KeyRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Reports a client that was slower than the server. */
class ClientDelaysTest {
    private static final double MS = 1e6;

    private static double[] times(int count, double usualMs, double worstMs) {
        double[] times = new double[count];
        for (int i = 0; i < count; i++) {
            times[i] = (i % 50 == 0 ? worstMs : usualMs) * MS;
        }
        return times;
    }

    @Test
    void warnsOfNothingWhenTheClientKeepsUp() {
        ClientDelays fine = new ClientDelays(times(200, 0.2, 3), times(200, 0.1, 5), times(20, 0.5, 0.6));
        assertThat(fine.warnings(OptionalInt.empty())).isEmpty();
        assertThat(fine.headlines()).containsKeys("send_delay_p99_ms", "client_late_p99_ms", "round_trip_p95_ms");
        LocatedJson json = new LocatedJson("noise", "", fine.json());
        assertThat(json.get("send_delay_n").asLong()).isEqualTo(200);
        assertThat(json.get("round_trip_p50_ns").asDouble()).isEqualTo(0.5 * MS);
    }

    @Test
    void attributesLateRequestsToTheClient() {
        ClientDelays late = new ClientDelays(times(200, 0.2, 80), times(200, 0.1, 1), new double[0]);
        assertThat(late.warnings(OptionalInt.empty()))
                .singleElement()
                .asString()
                .isEqualTo("the client, not the server, was the bottleneck: it sent requests late (P99 80.0 ms)");
    }

    @Test
    void doesNotAttributeTheConcurrencyLimitToTheClient() {
        ClientDelays late = new ClientDelays(times(200, 0.2, 80), times(200, 0.1, 1), new double[0]);
        assertThat(late.warnings(OptionalInt.of(7)))
                .singleElement()
                .asString()
                .contains("endpoint.max_concurrency=7", "80.0 ms");
    }

    @Test
    void reportsThreadsThatWakeLate() {
        ClientDelays late = new ClientDelays(times(200, 0.2, 1), times(200, 0.1, 40), new double[0]);
        assertThat(late.warnings(OptionalInt.empty()))
                .singleElement()
                .asString()
                .contains("the client was overloaded", "40.0 ms late at P99");
    }

    @Test
    void ignoresRequestsThatWereNotSent() {
        ReplayOutcome never = KeyRecord.of(
                ReplayOutcome.class,
                Map.ofEntries(
                        entry("id", 0),
                        entry("label", "r-0"),
                        entry("intendedNs", 0),
                        entry("sentNs", -1),
                        entry("endNs", 5),
                        entry("chunkNs", new long[0]),
                        entry("promptTokens", -1),
                        entry("outputTokens", -1),
                        entry("cancelled", true),
                        entry("error", Optional.empty())));
        ReplayOutcome sent = KeyRecord.of(
                ReplayOutcome.class,
                Map.ofEntries(
                        entry("id", 1),
                        entry("label", "r-1"),
                        entry("intendedNs", 10),
                        entry("sentNs", 25),
                        entry("endNs", 50),
                        entry("chunkNs", new long[] {40}),
                        entry("promptTokens", -1),
                        entry("outputTokens", -1),
                        entry("cancelled", false),
                        entry("error", Optional.empty())));
        ClientDelays client = ClientDelays.of(List.of(never, sent), new double[0], new double[0]);
        assertThat(client.sendDelayNs()).containsExactly(15);
        assertThat(client.headlines()).doesNotContainKey("client_late_p99_ms");
    }
}
