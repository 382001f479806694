package dev.stagesim.feature.cluster.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.experts.Eplb;
import dev.stagesim.feature.cluster.experts.ExpertLoad;
import dev.stagesim.feature.cluster.experts.ExpertPlacement;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.feature.cluster.experts.ExpertSettings.Rebalancing;
import dev.stagesim.feature.cluster.experts.RecordedLoad;
import dev.stagesim.feature.cluster.experts.SequentialPlacement;
import dev.stagesim.feature.cluster.experts.ZipfLoad;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.predict.Operator;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.serving.cluster.ExpertBalancer.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares loads and placements of experts on separate devices with simple counts. */
final class PoolExpertsTest {
    private static final String MODEL = "qwen3_30b_a3b";
    private static final int EXPERTS = 128;
    private static final int LAYERS = 48;
    private static final int VISITED = 8;
    private static final ExpertLoad EVEN = new ZipfLoad(0, Optional.empty(), 0.25, 42);
    private static final ExpertLoad SKEWED = new ZipfLoad(0.8, Optional.empty(), 0.25, 42);

    private static ExpertSettings shared(int instances, int redundant, ExpertLoad load, ExpertPlacement placement) {
        return new ExpertSettings(instances, redundant, load, placement, Optional.empty(), false);
    }

    private static ServingClusterSettings cluster(int replicas, ExpertSettings experts) {
        Pool pool = Clusters.sharing(Clusters.pool(PoolRole.BOTH, replicas), experts);
        return Clusters.of(
                Map.of("all", pool),
                new LeastOutstanding.Settings(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static ClusterFigures run(int replicas, ExpertSettings experts) {
        return Clusters.run(
                Clusters.settings(cluster(replicas, experts), MODEL, "h100"), Clusters.requests(300, 20, 0, 7));
    }

    private static ExpertGroup group(ExpertSettings experts) {
        PoolPlan pool = PoolPlans.of(Clusters.settings(cluster(4, experts), MODEL, "h100"), 4096)
                .get(0);
        return new ExpertGroup(pool, pool.experts().orElseThrow());
    }

    @Test
    void matchesASimpleCountForTheBusiestDevice() {
        ExpertGroup group = group(shared(4, 16, SKEWED, new Eplb(1)));
        double[][] shares = SKEWED.of(LAYERS, EXPERTS).phases().next();
        double busiest = 0;
        double touched = 0;
        int tokens = 1 << 6;
        for (double[] layer : shares) {
            Placement placed = new Eplb(1).place(layer, 144, 1, 4);
            double[] rows = new double[4];
            double[] read = new double[4];
            for (int slot = 0; slot < 144; slot++) {
                int expert = placed.logical()[slot];
                double visit = VISITED * layer[expert] / placed.replicas()[expert];
                rows[slot / 36] += visit;
                read[slot / 36] += 1 - Math.pow(1 - visit, tokens);
            }
            busiest += Arrays.stream(rows).max().orElseThrow() / (VISITED / 4.0) / LAYERS;
            touched += Arrays.stream(read)
                            .map(mean -> Math.min(36, mean + Math.sqrt(2 * mean * (1 - mean / 36) * Math.log(4))))
                            .max()
                            .orElseThrow()
                    / LAYERS;
        }
        assertThat(group.busiest()).isCloseTo(busiest, within(1e-9)).isBetween(1.0, 1.01);
        assertThat(group.touched(tokens)).isCloseTo(touched, within(1e-9));
        assertThat(group.touched(tokens + 3)).isBetween(touched, group.touched(tokens + 6));
        assertThat(group(shared(4, 0, SKEWED, new SequentialPlacement())).busiest())
                .isGreaterThan(1.3);
    }

    @Test
    void visitsAnExpertAtMostOncePerToken() {
        assertThat(ExpertGroup.visits(new double[] {0.7, 0.2, 0.05, 0.05}, 2))
                .containsExactly(1, 2.0 / 3, 1 / 6.0, 1 / 6.0);
        assertThat(ExpertGroup.visits(new double[] {0.5, 0.375, 0.125, 0}, 2)).containsExactly(1, 0.75, 0.25, 0);
        assertThat(ExpertGroup.visits(new double[] {1, 1, 0, 0}, 2)).containsExactly(1, 1, 0, 0);
    }

    @Test
    void placesCopiesCyclicallyAndMovesOnlyMissingExperts() {
        Placement placed = new SequentialPlacement().place(new double[EXPERTS], 132, 1, 4);
        assertThat(placed.logical()).startsWith(0, 1, 2).endsWith(127, 0, 1, 2, 3);
        assertThat(placed.replicas()).startsWith(2, 2, 2, 2, 1);
        ExpertGroup group = group(shared(4, 0, EVEN, new SequentialPlacement()));
        int[] before = IntStream.range(0, EXPERTS).toArray();
        int[] after = before.clone();
        // A move within a device, and a move between the first and the last device.
        after[0] = 1;
        after[1] = 0;
        after[2] = 127;
        after[127] = 2;
        assertThat(group.incoming(before, before)).containsOnly(0);
        assertThat(group.incoming(before, after)).containsExactly(1, 0, 0, 1);
    }

    @Test
    void takesLongerWithSkewedLoads() {
        ClusterFigures even = run(4, shared(4, 0, EVEN, new SequentialPlacement()));
        ClusterFigures skewed = run(4, shared(4, 0, SKEWED, new SequentialPlacement()));
        ClusterFigures placed = run(4, shared(4, 16, SKEWED, new Eplb(1)));
        assertThat(even.all().get("all_expert_balance")).isCloseTo(1, within(1e-12));
        assertThat(skewed.all().get("all_expert_balance")).isBetween(0.4, 0.8);
        assertThat(placed.all().get("all_expert_balance")).isBetween(0.99, 1.0);
        ExpertGroup order = group(shared(4, 0, SKEWED, new SequentialPlacement()));
        ExpertGroup balanced = group(shared(4, 16, SKEWED, new Eplb(1)));
        assertThat(up(order, 8192)).isGreaterThan(1.2 * up(balanced, 8192));
        // Copies are additional weights to read, which dominate the time of small batches.
        assertThat(balanced.touched(256)).isGreaterThan(order.touched(256));
        assertThat(even.all()).doesNotContainKey("all_placements");
    }

    private static double up(ExpertGroup group, int tokens) {
        return group.times().milliseconds(Operator.MLP_UP_PROJ, tokens);
    }

    @Test
    void rebalancesWithChangingLoadsAtTheCostOfAPause() {
        ExpertLoad drifting = new ZipfLoad(0.8, Optional.of(5.0), 0.5, 42);
        ExpertSettings fixed = new ExpertSettings(4, 16, drifting, new Eplb(1), Optional.empty(), false);
        ExpertSettings stalled =
                new ExpertSettings(4, 16, drifting, new Eplb(1), Optional.of(new Rebalancing(2, true)), false);
        ExpertSettings beside =
                new ExpertSettings(4, 16, drifting, new Eplb(1), Optional.of(new Rebalancing(2, false)), false);
        Map<String, Double> still = run(4, stalled).all();
        Map<String, Double> moving = run(4, beside).all();
        double plain = run(4, fixed).all().get("all_expert_balance");
        assertThat(still.get("all_expert_balance")).isGreaterThan(plain + 0.05);
        assertThat(moving.get("all_expert_balance")).isGreaterThan(plain + 0.05);
        assertThat(still.get("all_placements")).isGreaterThanOrEqualTo(2);
        // An expert of Qwen3 30B has three matrices of 2048 x 768 in 16 bits.
        double experts = still.get("all_moved_experts_gb") * 1e9 / (3 * 2048 * 768 * 2);
        assertThat(experts).isCloseTo(Math.rint(experts), within(1e-6)).isGreaterThan(100);
        assertThat(still.get("all_move_s")).isGreaterThan(0.01);
        ClusterFigures again = run(4, stalled);
        assertThat(again.all()).isEqualTo(still);
        assertThat(again.sim.experts().get(0).changes())
                .extracting(ExpertGroup.Change::kind)
                .startsWith("start")
                .contains("load", "placement");
    }

    @Test
    void dividesExpertsBetweenDevicesAndExchangesTokens() {
        PoolPlan shared = group(shared(4, 0, EVEN, new SequentialPlacement())).pool;
        PoolPlan alone = PoolPlans.of(
                        Clusters.settings(cluster(4, shared(1, 0, EVEN, new SequentialPlacement())), MODEL, "h100"),
                        4096)
                .get(0);
        double expert = 3.0 * 2048 * 768 * 2;
        assertThat(alone.replica().weightBytes() - shared.replica().weightBytes())
                .isCloseTo(LAYERS * EXPERTS * 0.75 * expert, within(10.0));
        assertThat(shared.kvTokens()).isGreaterThan(alone.kvTokens());
        ExpertGroup own = new ExpertGroup(alone, alone.experts().orElseThrow());
        ExpertGroup all = new ExpertGroup(shared, shared.experts().orElseThrow());
        assertThat(own.busiest()).isCloseTo(1, within(1e-12));
        // A single device reads all experts that its tokens visit. In a group it reads a quarter of those of four
        // times the tokens, and sends tokens.
        assertThat(up(all, 4096)).isGreaterThan(up(own, 4096));
    }

    @Test
    void sendsTokensOnceToEachOtherNode() {
        Links links = new Links(CardFiles.hardware("h100"));
        Links.Routing node = new Links.Routing(2, 8, 8);
        double visited = 8 * (1 - Math.pow(7.0 / 8, 2));
        // 20 multiprocessors copy 14.5 GB/s each.
        assertThat(links.forwarded(1e7, node, 20) - links.forwarded(0, node, 20))
                .isCloseTo(1e7 * visited / 290e3, within(1e-6));
        // 450 GB/s at 58 % of the rate; 7 of 8 devices are remote.
        assertThat(links.forwarded(1e7, node, 1000) - links.forwarded(0, node, 20))
                .isCloseTo(1e7 * visited * 7 / 8 / 261e3, within(1e-6));
        assertThat(links.direct(1e6, node) - links.direct(0, node)).isCloseTo(2e6 * 7 / 8 / 261e3, within(1e-6));
        // 50 GB/s at 0.7 of the rate. A token visits the second node with probability 3 / 4.
        Links.Routing nodes = new Links.Routing(2, 16, 16);
        assertThat(links.forwarded(1e7, nodes, 1000) - links.forwarded(0, nodes, 20))
                .isCloseTo(1e7 * 0.75 / 35e3, within(1e-6));
        Links.Routing many = new Links.Routing(8, 16, 16);
        assertThat(links.exchange(0, many)).isEqualTo(links.direct(0, many));
        assertThat(links.exchange(1e9, many)).isEqualTo(links.forwarded(1e9, many, 20));
    }

    @Test
    void appliesRecordedLoadsAtTheirTimes() throws IOException {
        Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/load.csv");
        Files.writeString(file, "time_s,layer,expert,tokens\n0,0,0,30\n0,0,1,10\n5,0,2,8\n5,1,3,4\n5,1,0,4\n");
        ExpertLoad.Phases phases = new RecordedLoad(file).of(2, 4).phases();
        assertThat(phases.next()).isDeepEqualTo(new double[][] {{0.75, 0.25, 0, 0}, {0.75, 0.25, 0, 0}});
        assertThat(phases.until()).isEqualTo(5);
        assertThat(phases.next()).isDeepEqualTo(new double[][] {{0, 0, 1, 0}, {0.5, 0, 0, 0.5}});
        assertThat(phases.until()).isInfinite();
        assertThatThrownBy(() -> new RecordedLoad(file).of(2, 3))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("row 4 does not match the experts of the model");
        Files.writeString(file, "layer,expert\n0,0\n");
        assertThatThrownBy(() -> new RecordedLoad(file).of(2, 3)).hasMessageContaining("lacks the column 'tokens'");
    }

    @Test
    void keepsSharesOfDriftingLoads() {
        ExpertLoad.Phases phases =
                new ZipfLoad(1, Optional.of(3.0), 0.5, 1).of(2, 8).phases();
        double[] first = phases.next()[1].clone();
        double[] second = phases.next()[1].clone();
        assertThat(first).isNotEqualTo(second);
        assertThat(sorted(first)).isEqualTo(sorted(second));
        assertThat(IntStream.range(0, 8).filter(i -> first[i] != second[i]).count())
                .isBetween(2L, 4L);
        assertThat(phases.until()).isEqualTo(6);
    }

    private static Set<Double> sorted(double[] values) {
        return Arrays.stream(values).boxed().collect(Collectors.toSet());
    }

    @ParameterizedTest
    @CsvSource({
        "llama3_8b, 4, 0, 1, has no effect: ",
        "qwen3_30b_a3b, 3, 0, 1, 'which does not divide the 4 replicas'",
        "qwen3_30b_a3b, 4, 1, 1, 'set it to 0 or 4'",
        "qwen3_30b_a3b, 4, 0, 3, 'which does not divide the 128 experts'"
    })
    void rejectsImpossiblePlacements(String model, int instances, int redundant, int groups, String why) {
        ExpertSettings experts = shared(instances, redundant, EVEN, new Eplb(groups));
        List<String> problems = PoolPlans.problems(Clusters.settings(cluster(4, experts), model, "h100")).stream()
                .map(String::valueOf)
                .toList();
        assertThat(problems).singleElement().asString().contains(why);
    }
}
