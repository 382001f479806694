package dev.stagesim.feature.mock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.bench.Endpoint;
import dev.stagesim.bench.PlannedRequest;
import dev.stagesim.bench.Replay;
import dev.stagesim.bench.ReplayOutcome;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ModelShape;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two thousand concurrent streams without loss of an event. */
@Tag("long")
class ManyStreamsTest {
    private static final int STREAMS = 2000;
    private static final int TOKENS = 12;

    /** Steps of 400 ms, so that all streams are active at the same time. */
    private static MockService service() {
        TableTimes.Builder times = TableTimes.builder(64);
        for (Operator operator : Operator.values()) {
            if (operator.key() == Operator.Key.TOKENS || operator.key() == Operator.Key.REQUESTS) {
                times.add(operator, 1, 8192, operator == Operator.MLP_UP_PROJ ? 400 : 0.0);
            }
        }
        times.add(Operator.ATTN_DECODE, 1, 4096, 0, 8192, 0.0).add(Operator.ATTN_PREFILL, 0, 8192, 1, 8192, 0.0);
        ServingSpec spec = new ServingSpec(
                ModelShape.evenHeads(1, 1, 1, 8, 8, true, true),
                Optional.empty(),
                new ClusterSpec(8, 1, 1, 80, 312, 0.1, GlobalPolicy.ROUND_ROBIN, 42),
                new SchedulerSpec.Sarathi(new SchedulerSpec.Limits(1024, 16, 0, 100_000), 4096),
                TimingSpec.DEFAULT,
                2048,
                0,
                VidurQuirk.NONE);
        return new MockService(spec, times.build(), "m", STREAMS, () -> 1.0, true);
    }

    @Test
    void losesNoEvent() throws Exception {
        MockOptions options = new MockOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "m",
                "",
                Optional.empty(),
                16,
                OptionalLong.of(STREAMS),
                OptionalLong.empty(),
                MockOptions.ESTIMATE);
        List<PlannedRequest> requests = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            requests.add(new PlannedRequest(i, i * 1_000_000L, "four words of text", TOKENS));
        }
        try (OpenAiServer server = OpenAiServer.open(options, service())) {
            CompletableFuture<ServerReport> report = CompletableFuture.supplyAsync(() -> {
                try {
                    return server.run();
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            Duration timeout = Duration.ofMinutes(5);
            URI base = URI.create("http://127.0.0.1:" + server.port() + "/v1");
            Endpoint endpoint = new Endpoint(base, false, "m", Optional.empty(), timeout, timeout, timeout, true);
            List<ReplayOutcome> outcomes = Replay.run(endpoint, requests, STREAMS, (o, done, all) -> {})
                    .outcomes();
            assertThat(outcomes).hasSize(STREAMS).allSatisfy(o -> {
                assertThat(o.error()).isEmpty();
                assertThat(o.chunkNs()).hasSize(TOKENS).isSorted();
                assertThat(o.outputTokens()).isEqualTo(TOKENS);
            });
            ServerReport served = report.get(5, TimeUnit.MINUTES);
            assertThat(served.served()).hasSize(STREAMS);
            assertThat(served.delays().count()).isEqualTo((long) STREAMS * TOKENS);
            assertThat(served.maxConnections()).as("streams at once").isGreaterThan(STREAMS / 2);
        }
    }
}
