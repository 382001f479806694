package dev.stagesim.feature.cluster.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DataParallelTest {
    private static final int INSTANCES = 4;
    private static final RequestTrace TRACE = Clusters.requests(60, 10, 0, 3);

    private final Signals signals = Signals.fresh(INSTANCES);
    private final RoutingGroup group = RoutingGroups.of(
            PoolRole.BOTH, new Prompts(TRACE), new long[] {1000, 1000, 1000, 1000}, new int[INSTANCES], signals);

    private int send(Router router, int request, double at) {
        signals.look(at);
        int chosen = router.choose(request, true);
        router.sent(request, chosen, true);
        return chosen;
    }

    @Test
    void routesToIdleInstancesInTurn() {
        Router router = new DataParallel.Settings(1, 100).over(group);
        assertThat(IntStream.range(0, 8).map(request -> send(router, request, 0)))
                .containsExactly(0, 1, 2, 3, 0, 1, 2, 3);
    }

    @Test
    void appliesReportsFromTheNextPeriodOn() {
        Router router = new DataParallel.Settings(1, 100).over(group);
        send(router, 0, 0.01);
        for (int busy : List.of(1, 2, 3)) {
            signals.set(busy, Signals.RUNNING, 0.02, 5);
        }
        assertThat(send(router, 1, 0.05)).isEqualTo(1);
        router.done(0, 0, true);
        assertThat(send(router, 2, 0.11)).isZero();
    }

    @Test
    void weighsWaitingRequestsMoreWithAFullCache() {
        Router router = new DataParallel.Settings(1, 100).over(group);
        signals.set(0, Signals.WAITING, 0, 2);
        signals.set(0, Signals.KV_USAGE, 0, 1);
        for (int busy : List.of(1, 2, 3)) {
            signals.set(busy, Signals.RUNNING, 0, 4 + busy);
        }
        // 2 + 2 x 6 x 0.5 = 8 against 5, 6 and 7
        assertThat(send(router, 0, 1)).isEqualTo(1);
    }

    @Test
    void distributesRequestsOverFrontEnds() {
        Router router = new DataParallel.Settings(2, 100).over(group);
        assertThat(IntStream.range(0, 4).map(request -> send(router, request, 0)))
                .containsExactly(0, 2, 1, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void servesEveryRequest(int clients) {
        ClusterFigures served = Clusters.run(
                Clusters.cluster(
                        Map.of("all", Clusters.pool(PoolRole.BOTH, 3)),
                        new DataParallel.Settings(clients, 100),
                        Optional.empty(),
                        Clusters.transfer(1, 0)),
                TRACE);
        assertThat(served.timeline.completed).doesNotContain(Double.NaN);
    }

    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(new DataParallel.Settings(1, 100));
    }
}
