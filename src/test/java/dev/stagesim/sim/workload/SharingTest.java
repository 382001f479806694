package dev.stagesim.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.workload.Sharing.Shared;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SharingTest {
    private static RequestTable drawn(int count) {
        RequestTable table = new RequestTable(count);
        for (int i = 0; i < count; i++) {
            table.add(i * 1_000_000_000L, i, 10 + i % 7, 3 + i % 5, -1);
        }
        return table;
    }

    private static List<Long> tokens(Shared shared, int request) {
        List<Long> tokens = new ArrayList<>();
        for (int run = shared.tokens().begin(request); run < shared.tokens().end(request); run++) {
            for (int i = 0; i < shared.tokens().count(run); i++) {
                tokens.add(shared.tokens().first(run) + i);
            }
        }
        return tokens;
    }

    /** The whole text of a request: what it has in common, its own words, its answer. */
    private static List<Long> text(Shared shared, int request) {
        List<Long> text = tokens(shared, request);
        int own = shared.requests().prefill(request) - text.size();
        for (int i = 0; i < own; i++) {
            text.add(SharedTokens.promptOf(request) + i);
        }
        for (int i = 0; i < shared.requests().decode(request); i++) {
            text.add(SharedTokens.outputOf(request) + i);
        }
        return text;
    }

    @Test
    void everyTurnBeginsWithAllThatWasSaid() {
        Shared shared = Sharing.sessions(drawn(60), 3, 7.5, 1 << 20, RandomStream.of(1, "t"));

        int later = 0;
        for (int i = 0; i < 60; i++) {
            List<Long> begun = tokens(shared, i);
            assertThat(shared.requests().prefill(i)).isGreaterThan(begun.size());
            if (i > 0) {
                assertThat(shared.requests().arrivalNs(i))
                        .isGreaterThanOrEqualTo(shared.requests().arrivalNs(i - 1));
            }
            if (!begun.isEmpty()) {
                int request = i;
                later++;
                assertThat(java.util.stream.IntStream.range(0, i))
                        .as("some earlier request is the turn before")
                        .anyMatch(other -> text(shared, other).equals(begun) && other < request);
            }
        }
        assertThat(later).isEqualTo(40);
    }

    @Test
    void aTurnThatWouldBeTooLongBeginsAConversation() {
        Shared shared = Sharing.sessions(drawn(40), 40, 1, 60, RandomStream.of(1, "t"));
        for (int i = 0; i < 40; i++) {
            assertThat(shared.requests().prefill(i) + shared.requests().decode(i))
                    .isLessThanOrEqualTo(60);
        }
        assertThat(shared.tokens().isEmpty()).isFalse();
    }

    @Test
    void prefixesArePopularByRank() {
        RequestTable requests = drawn(20_000);
        Shared shared = Sharing.prefixes(requests, 4, 12, 1.0, RandomStream.of(5, "t"));
        int[] times = new int[4];
        for (int i = 0; i < 20_000; i++) {
            List<Long> prefix = tokens(shared, i);
            assertThat(prefix).hasSize(Math.min(12, requests.prefill(i)));
            times[(int) (prefix.get(0) >> 20)]++;
        }
        // weights 1, 1/2, 1/3 and 1/4 of 25/12
        assertThat(times[0]).isBetween(9_200, 10_000);
        assertThat(times[3]).isBetween(2_200, 2_600);
        assertThat(shared.requests()).isSameAs(requests);
    }
}
