package dev.stagesim.feature.cluster.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.instance.PoolRole;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Replays recorded shortest-queue decisions on {@link LeastOutstanding}. */
final class RecordedChoicesTest {
    @ParameterizedTest
    @CsvFileSource(files = "tests-data/routing/shortest_queues.csv", numLinesToSkip = 1, maxCharsPerColumn = 100_000)
    void choosesTheShortestQueueAsRecorded(String name, int instances, String operations) {
        Prompts prompts = new Prompts(Clusters.requests(100, 10, 0, 3));
        Router router =
                new LeastOutstanding.Settings().over(RoutingGroups.of(PoolRole.BOTH, prompts, new long[instances]));
        for (String operation : operations.split(" ", -1)) {
            int request = Integer.parseInt(operation.substring(1).split(":", -1)[0]);
            int instance = Integer.parseInt(operation.split(":", -1)[1]);
            if (operation.charAt(0) == '>') {
                assertThat(router.choose(request, true))
                        .as("%s request %d", name, request)
                        .isEqualTo(instance);
                router.sent(request, instance, true);
            } else {
                router.done(request, instance, true);
            }
        }
    }
}
