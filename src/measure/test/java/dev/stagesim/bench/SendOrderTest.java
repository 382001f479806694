package dev.stagesim.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.SessionTurns;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A replay keeps sessions in flight and sends each turn after the previous answer. */
class SendOrderTest {
    private static final int SESSIONS = 6;
    private static final int TURNS = 3;
    private static final int CLIENTS = 2;
    private static final long GAP_NS = 20_000_000;

    /** Returns the first turns of all sessions, then the second ones, and so on. */
    private static List<PlannedRequest> requests() {
        return IntStream.range(0, SESSIONS * TURNS)
                .mapToObj(i -> new PlannedRequest(i, i / SESSIONS * GAP_NS, "hello", 3))
                .toList();
    }

    private static Replay.Options options() {
        SessionTurns turns = new SessionTurns(SESSIONS * TURNS, i -> i % SESSIONS, i -> i / SESSIONS * GAP_NS / 1e9);
        return new Replay.Options(new ClosedLoop(CLIENTS, 0, 0, true), "r", Optional.empty(), Optional.of(turns));
    }

    @Test
    void sendsATurnAfterTheAnswerAndASessionAfterAnother() throws Exception {
        AtomicInteger open = new AtomicInteger();
        AtomicInteger maxOpen = new AtomicInteger();
        List<ReplayOutcome> outcomes;
        try (MockServer server = new MockServer((n, body, exchange) -> {
            maxOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
            MockServer.whole(exchange, 3);
            open.decrementAndGet();
        })) {
            Endpoint endpoint = new Endpoint(
                    URI.create(server.base().toString()),
                    false,
                    "m",
                    Optional.empty(),
                    Duration.ofSeconds(5),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    true);
            outcomes = Replay.run(endpoint, requests(), options(), (o, done, all) -> {})
                    .outcomes();
        }
        assertThat(outcomes).hasSize(SESSIONS * TURNS);
        assertThat(maxOpen.get()).isLessThanOrEqualTo(CLIENTS);
        List<Long> ends = new ArrayList<>();
        for (int session = 0; session < SESSIONS; session++) {
            for (int turn = 1; turn < TURNS; turn++) {
                long answer = outcomes.get((turn - 1) * SESSIONS + session).endNs();
                ReplayOutcome next = outcomes.get(turn * SESSIONS + session);
                assertThat(next.intendedNs()).isEqualTo(answer + GAP_NS);
                assertThat(next.sentNs()).isGreaterThanOrEqualTo(answer + GAP_NS);
            }
            ends.add(outcomes.get((TURNS - 1) * SESSIONS + session).endNs());
        }
        ends.sort(Long::compare);
        for (int session = CLIENTS; session < SESSIONS; session++) {
            assertThat(outcomes.get(session).sentNs()).isGreaterThanOrEqualTo(ends.get(session - CLIENTS));
        }
    }
}
