package dev.stagesim.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Replays against correct and faulty servers on loopback. Every request has an outcome. */
class ReplayTest {
    private static Endpoint endpoint(URI base, Duration stall) {
        return new Endpoint(
                base, false, "m", Optional.of("secret"), Duration.ofSeconds(5), stall, Duration.ofSeconds(60), true);
    }

    private static List<PlannedRequest> requests(int count, long apartNs) {
        List<PlannedRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(new PlannedRequest(i, i * apartNs, "hello", 3));
        }
        return requests;
    }

    private static List<ReplayOutcome> run(MockServer.Script script, int count) throws Exception {
        try (MockServer server = new MockServer(script)) {
            return Replay.run(
                            endpoint(server.base(), Duration.ofMinutes(1)),
                            requests(count, 1_000_000),
                            64,
                            (o, done, all) -> {})
                    .outcomes();
        }
    }

    @Test
    void recordsMonotonicEventTimes() throws Exception {
        List<ReplayOutcome> outcomes = run((n, body, exchange) -> MockServer.whole(exchange, 3), 20);
        assertThat(outcomes).hasSize(20).allSatisfy(o -> {
            assertThat(o.error()).isEmpty();
            assertThat(o.chunkNs()).hasSize(3).isSorted();
            assertThat(o.sentNs()).isBetween(o.intendedNs(), o.chunkNs()[0]);
            assertThat(o.endNs()).isGreaterThanOrEqualTo(o.chunkNs()[2]);
            assertThat(o.promptTokens()).isEqualTo(7);
            assertThat(o.outputTokens()).isEqualTo(3);
        });
        assertThat(outcomes).extracting(ReplayOutcome::id).isSorted();
    }

    @Test
    void sendsRequestsInOpenAiFormat() throws Exception {
        List<String> seen = new ArrayList<>();
        run(
                (n, body, exchange) -> {
                    seen.add(exchange.getRequestURI().getPath() + " "
                            + exchange.getRequestHeaders().getFirst("Authorization") + " " + body);
                    MockServer.whole(exchange, 1);
                },
                1);
        assertThat(seen.get(0))
                .startsWith("/v1/completions Bearer secret {")
                .contains("\"stream\":true", "\"max_tokens\":3", "\"ignore_eos\":true", "\"include_usage\":true");
    }

    @Test
    void sendsApiKeyToOpenAiPathsOnly() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (MockServer server = new MockServer((n, body, exchange) -> {
            seen.add(exchange.getRequestURI().getPath() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization"));
            exchange.sendResponseHeaders(404, -1);
        })) {
            assertThat(ServerFacts.read(endpoint(server.base(), Duration.ofMinutes(1))))
                    .isEmpty();
        }
        assertThat(seen).containsExactly("/v1/models Bearer secret", "/version null", "/metrics null");
    }

    @Test
    void leavesNoThreadsWhenReplayFails() throws Exception {
        try (MockServer server = new MockServer((n, body, exchange) -> MockServer.whole(exchange, 1))) {
            Replay.Options options = new Replay.Options(4, "r", Optional.of(Duration.ofMillis(5)));
            assertThatThrownBy(() -> Replay.run(
                            endpoint(server.base(), Duration.ofMinutes(1)),
                            requests(8, 1_000_000),
                            options,
                            (outcome, done, all) -> {
                                throw new UncheckedIOException(new IOException("the disk is full"));
                            }))
                    .hasMessageContaining("the disk is full");
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("client-load", "round-trips");
    }

    @Test
    void omitsApiKeyFromText() {
        Endpoint endpoint = endpoint(URI.create("http://127.0.0.1:1/v1"), Duration.ofSeconds(1));
        assertThat(endpoint.toString()).doesNotContain("secret");
    }

    @Test
    void failsOnlyTheAffectedRequests() throws Exception {
        List<ReplayOutcome> outcomes = run(
                (n, body, exchange) -> {
                    switch (n % 5) {
                        case 0 -> MockServer.whole(exchange, 3);
                        case 1 -> MockServer.token(MockServer.stream(exchange), "one, then the end");
                        case 2 -> {
                            OutputStream out = MockServer.stream(exchange);
                            out.write("<html>gateway</html>\n".getBytes(StandardCharsets.UTF_8));
                        }
                        case 3 -> {
                            byte[] text = "{\"error\":\"overloaded\"}".getBytes(StandardCharsets.UTF_8);
                            exchange.sendResponseHeaders(503, text.length);
                            exchange.getResponseBody().write(text);
                        }
                        default -> {
                            OutputStream out = MockServer.stream(exchange);
                            MockServer.event(out, "{\"error\":{\"message\":\"out of memory\"}}");
                        }
                    }
                },
                15);
        assertThat(outcomes).hasSize(15);
        List<String> errors =
                outcomes.stream().map(o -> o.error().orElse("fine")).toList();
        assertThat(errors).filteredOn(e -> e.equals("fine")).hasSize(3);
        assertThat(errors)
                .filteredOn(e -> e.contains("ended early, after 1 chunks"))
                .hasSize(3);
        assertThat(errors)
                .filteredOn(e -> e.contains("not an event stream: <html>"))
                .hasSize(3);
        assertThat(errors)
                .filteredOn(e -> e.startsWith("HTTP 503") && e.contains("overloaded"))
                .hasSize(3);
        assertThat(errors).filteredOn(e -> e.contains("out of memory")).hasSize(3);
    }

    /** Only stalled responses have a short timeout, because others can be as slow on a loaded machine. */
    @Test
    void abortsOnlyStalledResponses() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger held = new AtomicInteger(3);
        try (MockServer server = new MockServer((n, body, exchange) -> {
            if (held.getAndDecrement() > 0) {
                MockServer.token(MockServer.stream(exchange), "then nothing");
                over.await();
            } else {
                MockServer.whole(exchange, 3);
            }
        })) {
            Endpoint impatient = endpoint(server.base(), Duration.ofMillis(400));
            assertThat(Replay.run(impatient, requests(3, 0), 64, (o, done, all) -> {})
                            .outcomes())
                    .hasSize(3)
                    .allSatisfy(o -> assertThat(o.error().orElse("")).contains("no data for"));
            Endpoint patient = endpoint(server.base(), Duration.ofMinutes(1));
            assertThat(Replay.run(patient, requests(3, 0), 64, (o, done, all) -> {})
                            .outcomes())
                    .hasSize(3)
                    .allSatisfy(o -> assertThat(o.error()).isEmpty());
            over.countDown();
        }
    }

    /** Sends tokens until the client disconnects, and reports that. */
    private static RawServer talker(CountDownLatch left) throws Exception {
        return new RawServer((n, head, socket) -> {
            try {
                RawServer.tokens(socket, 1);
                while (true) {
                    RawServer.token(socket);
                    Thread.sleep(1);
                }
            } catch (IOException gone) {
                left.countDown();
            }
        });
    }

    private static List<ReplayOutcome> cancelled(RawServer server, Cancellation... each) {
        List<PlannedRequest> requests = new ArrayList<>();
        for (int i = 0; i < each.length; i++) {
            requests.add(new PlannedRequest(i, 0, "hello", 1_000_000, each[i]));
        }
        return Replay.run(endpoint(URI.create(server.url()), Duration.ofMinutes(1)), requests, 8, (o, done, all) -> {})
                .outcomes();
    }

    @Test
    void closesConnectionWhenCancelledAfterTokens() throws Exception {
        CountDownLatch left = new CountDownLatch(2);
        try (RawServer server = talker(left)) {
            List<ReplayOutcome> outcomes = cancelled(
                    server, new Cancellation(3, Long.MAX_VALUE), new Cancellation(50, TimeUnit.MINUTES.toNanos(5)));
            assertThat(left.await(1, TimeUnit.MINUTES))
                    .as("both connections are closed")
                    .isTrue();
            assertThat(outcomes).allSatisfy(o -> {
                assertThat(o.cancelled()).isTrue();
                assertThat(o.error()).isEmpty();
            });
            assertThat(outcomes.get(0).chunkNs().length).isGreaterThanOrEqualTo(3);
            assertThat(outcomes.get(1).chunkNs().length).isGreaterThanOrEqualTo(50);
        }
    }

    @Test
    void cancelsAfterATimeBeforeOrDuringResponse() throws Exception {
        CountDownLatch left = new CountDownLatch(2);
        AtomicInteger number = new AtomicInteger();
        try (RawServer server = new RawServer((n, head, socket) -> {
            if (number.getAndIncrement() == 0) {
                RawServer.tokens(socket, 2);
            }
            // the end of the stream, or a reset
            try {
                if (socket.getInputStream().read() < 0) {
                    left.countDown();
                }
            } catch (IOException reset) {
                left.countDown();
            }
        })) {
            Cancellation soon = new Cancellation(Integer.MAX_VALUE, 300_000_000L);
            List<ReplayOutcome> outcomes = cancelled(server, soon, soon);
            assertThat(left.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(outcomes).allSatisfy(o -> {
                assertThat(o.cancelled()).isTrue();
                assertThat(o.endNs() - o.sentNs())
                        .as("not before its simulated time")
                        .isGreaterThanOrEqualTo(300_000_000L);
            });
            // a loaded machine may cancel the first response before its tokens are read
            assertThat(outcomes).allSatisfy(o -> assertThat(o.chunkNs()).hasSizeLessThanOrEqualTo(2));
            assertThat(outcomes).anySatisfy(o -> assertThat(o.chunkNs()).isEmpty());
        }
    }

    @Test
    void doesNotCancelCompleteResponses() throws Exception {
        try (RawServer server = new RawServer((n, head, socket) -> RawServer.whole(socket, 3))) {
            assertThat(cancelled(server, new Cancellation(3, TimeUnit.MINUTES.toNanos(5))))
                    .allSatisfy(o -> assertThat(o.chunkNs()).hasSize(3));
        }
    }

    @Test
    void measuresRoundTripsAndSendsRequestIds() throws Exception {
        List<String> names = new CopyOnWriteArrayList<>();
        RawServer[] self = new RawServer[1];
        try (RawServer server = new RawServer((n, head, socket) -> {
            names.add(head.replaceAll("(?is).*x-request-id: *(\\S+).*", "$1"));
            self[0].requested().acquire(2);
            RawServer.whole(socket, 2);
        })) {
            self[0] = server;
            Replay.Result result = Replay.run(
                    endpoint(URI.create(server.url()), Duration.ofMinutes(1)),
                    requests(3, 100_000_000),
                    new Replay.Options(8, "run7", Optional.of(Duration.ofMillis(5))),
                    (o, done, all) -> {});
            assertThat(result.roundTripNs()).hasSizeGreaterThan(3).doesNotContain(0);
            assertThat(names).containsExactlyInAnyOrder("run7-0", "run7-1", "run7-2");
            assertThat(result.outcomes())
                    .extracting(ReplayOutcome::label)
                    .containsExactly("run7-0", "run7-1", "run7-2");
        }
    }

    @Test
    void failsAllRequestsWhenServerIsDown() {
        List<ReplayOutcome> outcomes = Replay.run(
                        endpoint(URI.create("http://127.0.0.1:9/v1"), Duration.ofSeconds(5)),
                        requests(3, 0),
                        8,
                        (o, d, t) -> {})
                .outcomes();
        assertThat(outcomes).hasSize(3).allSatisfy(o -> assertThat(o.error().orElse(""))
                .contains("cannot connect"));
    }

    @Test
    void includesWaitingTimeInClient() throws Exception {
        AtomicInteger inFlight = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (MockServer server = new MockServer((n, body, exchange) -> {
            most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
            Thread.sleep(20);
            MockServer.whole(exchange, 2);
            inFlight.decrementAndGet();
        })) {
            List<ReplayOutcome> outcomes = Replay.run(
                            endpoint(server.base(), Duration.ofSeconds(5)), requests(12, 0), 2, (o, d, t) -> {})
                    .outcomes();
            assertThat(outcomes).allSatisfy(o -> assertThat(o.error()).isEmpty());
            assertThat(most.get()).isLessThanOrEqualTo(2);
            assertThat(outcomes.stream().mapToLong(ReplayOutcome::delayNs).max().orElseThrow())
                    .as("the last of twelve waits for five pairs before it")
                    .isGreaterThan(80_000_000);
        }
    }
}
