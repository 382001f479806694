package dev.stagesim.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.workload.Sharing.Shared;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
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

    /** Returns all tokens of a request: the shared prefix, the rest of the prompt, and the output. */
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
    void startsEveryTurnWithAllEarlierTokens() {
        Shared shared =
                Sharing.sessions(drawn(60), Sharing.Style.conversation(3, 7.5, 0), 1 << 20, RandomStream.of(1, "t"));

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
                        .as("an earlier request is the previous turn")
                        .anyMatch(other -> text(shared, other).equals(begun) && other < request);
            }
        }
        assertThat(later).isEqualTo(40);
    }

    /** All turns begin with the same tokens, which are added to the drawn lengths. */
    @Test
    void startsEveryTurnWithTheSystemPrompt() {
        Shared plain =
                Sharing.sessions(drawn(60), Sharing.Style.conversation(3, 7, 0), 1 << 20, RandomStream.of(1, "t"));
        Shared shared =
                Sharing.sessions(drawn(60), Sharing.Style.conversation(3, 7, 50), 1 << 20, RandomStream.of(1, "t"));
        for (int i = 0; i < 60; i++) {
            assertThat(tokens(shared, i).subList(0, 50))
                    .isEqualTo(tokens(shared, 0).subList(0, 50));
            assertThat(shared.requests().prefill(i)).isEqualTo(plain.requests().prefill(i) + 50);
        }
    }

    @Test
    void startsANewConversationWhenATurnIsTooLong() {
        Shared shared = Sharing.sessions(drawn(40), Sharing.Style.conversation(40, 1, 0), 60, RandomStream.of(1, "t"));
        for (int i = 0; i < 40; i++) {
            assertThat(shared.requests().prefill(i) + shared.requests().decode(i))
                    .isLessThanOrEqualTo(60);
        }
        assertThat(shared.tokens().isEmpty()).isFalse();
    }

    /**
     * Calls of a task share the system prompt, the task, and the earlier calls with their outputs but without the
     * reasoning.
     */
    @Test
    void includesEarlierCallsWithoutReasoning() {
        Sharing.Style style = new Sharing.Style(4, true, 2, 0.1, 30, 0.5, 100);
        RequestTable drawn = drawn(4000);

        Shared shared = Sharing.sessions(drawn, style, 1 << 20, RandomStream.of(1, "t"));

        int tasks = 0;
        for (int i = 0; i < 4000; i++) {
            List<Long> begun = tokens(shared, i);
            assertThat(begun.subList(0, 100)).first().isEqualTo(0L);
            assertThat(begun.get(99)).isEqualTo(99);
            int task = shared.tokens().conversation(i);
            tasks += task == i ? 1 : 0;
            if (task == i) {
                assertThat(begun).hasSize(100);
                continue;
            }
            assertThat(task).isLessThan(i);
            int prompt = shared.requests().prefill(task) - 100;
            assertThat(begun.get(100)).isEqualTo(SharedTokens.promptOf(task));
            int output = shared.requests().decode(task);
            int kept = (int) Math.round(output * 0.5);
            assertThat(begun.get(100 + prompt)).isEqualTo(SharedTokens.outputOf(task) + output - kept);
            assertThat(shared.requests().arrivalNs(i))
                    .isGreaterThan(shared.requests().arrivalNs(task) + output * 100_000_000L);
        }
        // The number of calls is geometric with mean 4.
        assertThat(tasks).isBetween(900, 1100);
    }

    @Test
    void assignsEqualLabelsToTurnsOfAConversation() {
        Shared shared =
                Sharing.sessions(drawn(6000), Sharing.Style.conversation(3, 7.5, 0), 1 << 20, RandomStream.of(1, "t"));
        double[] weights = {1, 3};

        Labels labels = Labels.draw(shared.tokens(), 6000, 10, 0, 0.25, weights, RandomStream.of(2, "t"));

        int base = 0;
        int urgent = 0;
        for (int i = 0; i < 6000; i++) {
            int first = shared.tokens().conversation(i);
            assertThat(labels.adapters()[i]).isEqualTo(labels.adapters()[first]).isBetween(0, 10);
            assertThat(labels.priorities()[i])
                    .isEqualTo(labels.priorities()[first])
                    .isBetween(0, 1);
            base += labels.adapters()[i] == 0 ? 1 : 0;
            urgent += labels.priorities()[i] == 0 ? 1 : 0;
        }
        assertThat(base).isBetween(1350, 1650);
        assertThat(urgent).isBetween(1350, 1650);
    }

    @Test
    void drawsPrefixesByRank() {
        RequestTable requests = drawn(20_000);
        Shared shared = Sharing.prefixes(requests, new int[] {12, 12, 12, 12}, 1.0, RandomStream.of(5, "t"));
        int[] times = new int[4];
        for (int i = 0; i < 20_000; i++) {
            List<Long> prefix = tokens(shared, i);
            assertThat(prefix).hasSize(Math.min(12, requests.prefill(i)));
            times[(int) (prefix.get(0) >> 20)]++;
        }
        // Weights 1, 1/2, 1/3 and 1/4 of 25/12.
        assertThat(times[0]).isBetween(9_200, 10_000);
        assertThat(times[3]).isBetween(2_200, 2_600);
        assertThat(shared.requests()).isSameAs(requests);
    }

    @Test
    void drawsAPrefixLengthPerGroup() {
        RandomStream random = RandomStream.of(5, "t");
        assertThat(Sharing.prefixLengths(4, 12, 0, random)).containsOnly(12);
        assertThat(random.nextDouble())
                .as("nothing drawn")
                .isEqualTo(RandomStream.of(5, "t").nextDouble());

        int[] lengths = Sharing.prefixLengths(4096, 1000, 0.5, random);
        assertThat(IntStream.of(lengths).average().orElseThrow()).isBetween(970.0, 1030.0);
        // The logarithms have the given sigma, and the median is exp(-0.125) of the mean.
        double[] logs = IntStream.of(lengths).mapToDouble(Math::log).sorted().toArray();
        assertThat(Math.exp(logs[2048])).isBetween(855.0, 910.0);
        assertThat(logs[(int) (0.8413 * 4096)] - logs[2048]).isBetween(0.47, 0.53);

        Shared shared = Sharing.prefixes(drawn(500), new int[] {3, 12, 5}, 0, random);
        for (int i = 0; i < 500; i++) {
            List<Long> prefix = tokens(shared, i);
            int group = (int) (prefix.get(0) >> 20);
            assertThat(prefix)
                    .hasSize(Math.min(
                            List.of(3, 12, 5).get(group), shared.requests().prefill(i)));
        }
    }
}
