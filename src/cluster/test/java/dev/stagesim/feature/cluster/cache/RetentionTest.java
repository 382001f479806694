package dev.stagesim.feature.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.router.SessionHash;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Conversations with first turns that stay in the caches of engines. */
final class RetentionTest {
    private static ServingClusterSettings cluster(int replicas, double memory, double seconds) {
        return Clusters.cluster(
                Map.of(
                        "all",
                        Clusters.retaining(Clusters.pool(PoolRole.BOTH, replicas, "vllm_v1", memory, 64), seconds)),
                new SessionHash.Settings(128),
                Optional.empty(),
                Clusters.transfer(1, 0));
    }

    /** A third of the requests are conversations of two turns, 40 s between them; the rest are single requests. */
    private static RequestTrace conversations(int size, double perSecond) {
        RandomStream random = RandomStream.of(3, "conversations");
        double[] arrivals = new double[size];
        int[] prompts = new int[size];
        int[] outputs = new int[size];
        Tokens[] tokens = new Tokens[size];
        for (int i = 0; i < size; i++) {
            arrivals[i] = i / perSecond;
            prompts[i] = 1000 + (int) random.below(1000);
            outputs[i] = 20;
            int before = i - (int) (40 * perSecond);
            boolean isSecond = i % 3 == 0 && before >= 0 && before / (int) (40 * perSecond) % 2 == 0;
            int first = isSecond ? before : i;
            prompts[i] += isSecond ? 500 : 0;
            tokens[i] = Tokens.from((1L << 33) + 10_000L * first);
        }
        return new RequestTrace(arrivals, prompts, outputs, request -> tokens[request]);
    }

    @Test
    void increasesHitsOfLaterTurns() {
        RequestTrace trace = conversations(1200, 6);
        ClusterFigures without = Clusters.run(cluster(1, 0.26, 0), trace);
        ClusterFigures with = Clusters.run(cluster(1, 0.26, 60), trace);
        Map<String, Double> all = with.all();
        assertThat(with.hitShare()).isGreaterThan(without.hitShare() + 0.03);
        assertThat(all.get("retained_hit_share")).isBetween(0.03, with.hitShare() + 1e-12);
        assertThat(all.get("retained_peak_share")).isBetween(0.1, 1.0);
        assertThat(all.get("retained_mean_share")).isBetween(0.05, all.get("retained_peak_share"));
        assertThat(without.all()).doesNotContainKey("retained_peak_share");
        // The retained hits exceed the gain in hits, because retained blocks displace other blocks.
        assertThat(all.get("retained_hit_share")).isGreaterThan(0.8 * (with.hitShare() - without.hitShare()));
    }

    @Test
    void hasNoEffectWithEnoughMemory() {
        RequestTrace trace = conversations(300, 6);
        ClusterFigures without = Clusters.run(cluster(2, 0.9, 0), trace);
        ClusterFigures with = Clusters.run(cluster(2, 0.9, 60), trace);
        assertThat(with.timeline.completed).containsExactly(without.timeline.completed);
        assertThat(with.all().get("retained_hit_share")).isZero();
    }

    @Test
    void losesRetainedBlocksOfAFailedInstance() {
        RequestTrace trace = conversations(300, 6);
        ServingClusterSettings failing = Clusters.with(
                cluster(2, 0.9, 60),
                Optional.empty(),
                Optional.of(new FailureSettings.Listed(Map.of("one", new FailureSettings.Down(0, 30, 0)), 2)),
                Optional.empty());
        ClusterFigures with = Clusters.run(cluster(2, 0.9, 60), trace);
        ClusterFigures without = Clusters.run(failing, trace);
        assertThat(without.hitShare()).isLessThan(with.hitShare());
        assertThat(without.all().get("retained_mean_share")).isPositive();
    }

    @Test
    void rejectsRetentionWithoutConversations() {
        assertThatThrownBy(() -> Clusters.run(cluster(1, 0.9, 5), Clusters.requests(3, 1, 0, 9)))
                .hasMessageContaining("cluster.pools.all.session_retention_s: has no effect: no session");
    }
}
