package dev.stagesim.feature.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.PrefixRouter;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes requests to a decode instance first, which computes the missing prompt tokens if they are few. */
final class DecodeFirstTest {
    private static ServingClusterSettings cluster(int decode, RouterSettings router, Split split) {
        return Clusters.of(
                Map.of("p", Clusters.pool(PoolRole.PREFILL, 1), "d", Clusters.pool(PoolRole.DECODE, decode)),
                new LeastOutstanding.Settings(),
                Optional.of(router),
                Optional.of(split),
                Optional.of(Clusters.transfer(50, 20)));
    }

    private static ClusterFigures run(int decode, RouterSettings router, Split split, RequestTrace trace) {
        return Clusters.run(cluster(decode, router, split), trace);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 300, 100_000})
    void splitsByLengthWithoutCachedTokens(int tokens) {
        RequestTrace trace = Clusters.requests(200, 6, 0, 11);
        RouterSettings least = new LeastOutstanding.Settings();
        ClusterFigures byLength = run(1, least, new Split.LongerThan(tokens), trace);
        ClusterFigures byMissing = run(1, least, new Split.Missing(tokens), trace);
        assertThat(byMissing.timeline.isSplit).isEqualTo(byLength.timeline.isSplit);
        assertThat(byMissing.timeline.completed).isEqualTo(byLength.timeline.completed);
        assertThat(byMissing.parts).usingRecursiveComparison().isEqualTo(byLength.parts);
    }

    @Test
    void computesOnDecodeInstancesWhenMostIsCached() {
        RequestTrace trace = Clusters.requests(400, 8, 4, 12);
        RouterSettings prefix = new PrefixRouter.Settings(2, 1, 16);
        ClusterFigures byLength = run(2, prefix, new Split.LongerThan(300), trace);
        ClusterFigures byMissing = run(2, prefix, new Split.Missing(300), trace);
        assertThat(byMissing.handed).isPositive().isLessThan(byLength.handed / 2);
        RequestTimeline timeline = byMissing.timeline;
        int whole = 0;
        for (int i = 0; i < trace.size(); i++) {
            boolean isLong = trace.prefillTokens(i) > 300 && trace.decodeTokens(i) > 1;
            if (isLong && !timeline.isHandedOff(i)) {
                whole++;
                // Seven eighths of the prompt are a common prefix, cached or in transfer in whole blocks.
                assertThat(trace.prefillTokens(i) / 8).isLessThan(300);
                assertThat(byMissing.instances.get(timeline.first[i]).pool.role())
                        .isEqualTo(PoolRole.DECODE);
            }
        }
        assertThat(whole).isGreaterThan(150);
        assertThat(byMissing.hitShare()).isGreaterThan(0.3);
        assertThat(byMissing.sim.handoffs().bytes())
                .isLessThan(byLength.sim.handoffs().bytes());
        assertThat(run(2, prefix, new Split.Missing(300), trace).timeline.completed)
                .isEqualTo(timeline.completed);
    }

    @Test
    void decodesOnTheChosenInstance() {
        RequestTrace trace = Clusters.requests(200, 10, 0, 13);
        ClusterFigures figures = run(3, new RoundRobin.Settings(), new Split.Missing(0), trace);
        for (int i = 0; i < trace.size(); i++) {
            int made = figures.timeline.isHandedOff(i) ? figures.timeline.second[i] : figures.timeline.first[i];
            // Instance 0 prefills. Requests take the decode instances in turn, in order of arrival.
            assertThat(made).isEqualTo(1 + i % 3);
        }
    }

    @Test
    void acceptsPromptWeightsOfDecodeRouters() {
        ServingClusterSettings cluster = cluster(2, KvCost.Settings.of(2, 16), new Split.Missing(300));
        assertThat(PoolPlans.problems(Clusters.settings(cluster))).isEmpty();
        SettingsContract.assertDefaults(new Split.Missing(512));
    }
}
