package dev.stagesim.feature.cluster.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.report.Report;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Small clusters with a known bottleneck. */
final class ClusterFindingsTest {
    private static final RouterSettings SHORTEST_QUEUE = new LeastOutstanding.Settings();

    private static Pool pool(PoolRole role, double memory, int seqs) {
        return Clusters.pool(role, 1, "vllm_v1", memory, seqs);
    }

    private static RequestTrace alike(int size, double perSecond, int prompt, int output) {
        double[] arrivals = new double[size];
        Arrays.setAll(arrivals, i -> i / perSecond);
        int[] prompts = new int[size];
        int[] outputs = new int[size];
        Arrays.fill(prompts, prompt);
        Arrays.fill(outputs, output);
        return new RequestTrace(arrivals, prompts, outputs);
    }

    private static String findings(ClusterFigures figures) throws IOException {
        Report report = new Report("t").footer("f").section("limits", "What limits");
        ClusterFindings findings = new ClusterFindings(figures);
        findings.addTo(report);
        Path out = Files.createDirectories(
                Jimfs.newFileSystem(Configuration.unix()).getPath("/out"));
        report.write(out);
        return findings.word() + "\n" + Files.readString(out.resolve("summary.md"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0.9 | 0.9 | 64 | 100 | 40 | 3000 | 4 | p is saturated | Add prefill instances.",
                "0.9 | 0.9 | 4 | 100 | 20 | 100 | 200 | d is saturated | Add decode instances.",
                "0.9 | 0.26 | 64 | 100 | 20 | 2000 | 200 | d is saturated | Add decode instances, or memory for their KV"
                        + " cache.",
                "0.26 | 0.26 | 64 | 100 | 20 | 2000 | 300 | d is saturated | d is saturated and blocks p",
                "0.9 | 0.9 | 64 | 0.5 | 20 | 2000 | 4 | the link is saturated | Raise the bandwidth",
                "0.26 | 0.9 | 64 | 0.5 | 20 | 2000 | 4 | the link is saturated | Raise the bandwidth"
            })
    void namesTheBottleneckWithAdvice(
            double prefillMemory,
            double decodeMemory,
            int seqs,
            double gbs,
            double perSecond,
            int prompt,
            int output,
            String word,
            String advice)
            throws IOException {
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of("p", pool(PoolRole.PREFILL, prefillMemory, 64), "d", pool(PoolRole.DECODE, decodeMemory, seqs)),
                SHORTEST_QUEUE,
                Optional.empty(),
                Clusters.transfer(gbs, 50));
        ClusterFigures figures = Clusters.run(cluster, alike(120, perSecond, prompt, output));
        assertThat(findings(figures)).startsWith("requests pile up: " + word).contains(advice);
        PoolPlan decode = figures.pools.get(0);
        assertThat(findings(figures).contains("Pool d is short of KV cache"))
                .isEqualTo(decodeMemory < 0.5)
                .isEqualTo(
                        ClusterFindings.memoryWaitShare(figures, decode) > 0.1 && figures.peakKvUsage(decode) > 0.95);
    }

    @Test
    void namesAPoolWithoutRequests() throws IOException {
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of(
                        "p",
                        pool(PoolRole.PREFILL, 0.9, 64),
                        "d",
                        pool(PoolRole.DECODE, 0.9, 64),
                        "m",
                        pool(PoolRole.BOTH, 0.9, 64)),
                SHORTEST_QUEUE,
                Optional.of(new Split.LongerThan(512)),
                Clusters.transfer(50, 50));
        assertThat(findings(Clusters.run(cluster, alike(20, 2, 1000, 20))))
                .contains("Pool m received no request", "Raise cluster.split.tokens");
        assertThat(findings(Clusters.run(cluster, alike(20, 2, 100, 20))))
                .contains("Pool p received no request", "Pool d received no request", "Lower cluster.split.tokens");
    }

    @Test
    void suggestsMemoryBeforeLargerBatches() throws IOException {
        ServingClusterSettings scarce = Clusters.cluster(
                Map.of("m", pool(PoolRole.BOTH, 0.26, 64)), SHORTEST_QUEUE, Optional.empty(), Clusters.transfer(1, 0));
        assertThat(findings(Clusters.run(scarce, alike(120, 20, 2000, 300))))
                .contains("Add instances, or memory for their KV cache.")
                .doesNotContain("raise the batch limits");
        ServingClusterSettings narrow = Clusters.cluster(
                Map.of("m", pool(PoolRole.BOTH, 0.9, 2)), SHORTEST_QUEUE, Optional.empty(), Clusters.transfer(1, 0));
        assertThat(findings(Clusters.run(narrow, alike(120, 20, 200, 100)))).contains("raise the batch limits");
    }

    /**
     * One step of the first request includes the prompt of the second one, and takes longer by exactly the
     * interference.
     */
    @Test
    void attributesTheTimeOfAJoiningPromptToInterference() {
        ServingClusterSettings one = Clusters.cluster(
                Map.of("m", pool(PoolRole.BOTH, 0.9, 64)), SHORTEST_QUEUE, Optional.empty(), Clusters.transfer(1, 0));
        ClusterFigures alone = Clusters.run(one, new RequestTrace(new double[1], new int[] {16}, new int[] {100}));
        ClusterFigures joined =
                Clusters.run(one, new RequestTrace(new double[] {0, 0.2}, new int[] {16, 1000}, new int[] {100, 1}));
        assertThat(alone.parts.get(0).get(Part.INTERFERENCE)).isZero();
        long added = joined.parts.get(0).e2e() - alone.parts.get(0).e2e();
        assertThat((double) joined.parts.get(0).get(Part.INTERFERENCE))
                .isGreaterThan(1e6)
                .isEqualTo(added, within(2.0));
        assertThat(joined.parts.get(1).get(Part.INTERFERENCE)).isZero();
    }
}
