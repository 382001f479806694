package dev.stagesim.sim.collective;

import static dev.stagesim.sim.collective.TestSystem.collective;
import static dev.stagesim.sim.collective.TestSystem.compute;
import static dev.stagesim.sim.collective.TestSystem.message;
import static dev.stagesim.sim.collective.TestSystem.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.collective.result.CollectiveDeadlock;
import dev.stagesim.sim.collective.result.NpuStatistics;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.MemorySpec;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Results that can be computed by hand. Each equals a run of the reference. */
final class WorkedExamplesTest {
    private static final int ALL_REDUCE = 0;
    private static final int ALL_GATHER = 2;
    private static final int REDUCE_SCATTER = 7;
    private static final long MEBI = 1 << 20;

    private static final RankTrace ONE_MEBI = trace(collective(0, ALL_REDUCE, MEBI));

    @Test
    void matchesExampleOfRing() {
        assertThat(TestSystem.of(Topology.RING, 4).run(ONE_MEBI).finishNs()).containsOnly(88720);
        assertThat(TestSystem.of(Topology.RING, 4).aware().run(ONE_MEBI).finishNs())
                .containsOnly(88720);
    }

    @Test
    void chargesTwoHopsForRingOnSwitch() {
        assertThat(TestSystem.of(Topology.SWITCH, 4).run(ONE_MEBI).finishNs()).containsOnly(100720);
        assertThat(TestSystem.of(Topology.SWITCH, 4).aware().run(ONE_MEBI).finishNs())
                .containsOnly(130000);
    }

    @Test
    void matchesExampleOfDirectExchangeOnSwitch() {
        assertThat(TestSystem.of(Topology.SWITCH, 4)
                        .family(TestSystem.DIRECT)
                        .run(ONE_MEBI)
                        .finishNs())
                .containsOnly(33600);
    }

    @Test
    void matchesHalvingDoublingOfBothReleases() {
        TestSystem machine = TestSystem.of(Topology.SWITCH, 64).family(TestSystem.HALVING_DOUBLING);
        RankTrace trace = trace(collective(0, ALL_REDUCE, 65536));
        assertThat(machine.run(trace).finishNs()).containsOnly(52776);
        assertThat(machine.compat(AstraCompat.ASTRA_2023).run(trace).finishNs()).containsOnly(50904);
    }

    @Test
    void runsAllGatherInDescendingDimensions() {
        TestSystem machine = TestSystem.empty()
                .dimension(Topology.RING, 4, 100, 200)
                .dimension(Topology.SWITCH, 2, 25, 700)
                .family(TestSystem.RING, TestSystem.RING)
                .splits(1);
        assertThat(machine.run(trace(collective(0, ALL_GATHER, 1_000_000))).finishNs())
                .containsOnly(95190);
    }

    @Test
    void createsChunkOfRemainder() {
        TestSystem machine = TestSystem.of(Topology.SWITCH, 4);
        assertThat(machine.run(trace(collective(0, REDUCE_SCATTER, 1000))).finishNs())
                .containsOnly(12208);
        assertThat(machine.run(trace(collective(0, REDUCE_SCATTER, 1001))).finishNs())
                .containsOnly(15260);
    }

    @Test
    void endsDoubleBinaryTreeAtDifferentTimes() {
        TestSystem machine = TestSystem.of(Topology.SWITCH, 4)
                .family(TestSystem.DOUBLE_BINARY_TREE)
                .splits(1);
        assertThat(machine.run(trace(collective(0, ALL_REDUCE, 100_000))).finishNs())
                .containsExactly(29498, 26626, 29498, 17754);
    }

    @Test
    void appliesSeparateEndpointDelayToGroups() {
        TestSystem machine = TestSystem.of(Topology.SWITCH, 4)
                .endpointDelay(1000)
                .splits(1)
                .group(1, 0, 1)
                .group(2, 2, 3);
        RankTrace first = trace(collective(0, REDUCE_SCATTER, 100_000, EtAttribute.ofText("pg_name", "1")));
        RankTrace second = trace(collective(0, REDUCE_SCATTER, 100_000, EtAttribute.ofText("pg_name", "2")));
        assertThat(machine.run(List.of(first, first, second, second)).finishNs())
                .containsOnly(4951);
    }

    @Test
    void usesMaximumOfOperationsAndBytesWithRoofline() {
        EtNode node = EtNode.of(
                0,
                "gemm",
                NodeType.of(4),
                EtAttribute.ofUnsigned("num_ops", 100_000_000),
                EtAttribute.ofUnsigned("tensor_size", 100_000_000));
        SimulationResult result = TestSystem.of(Topology.RING, 3)
                .localMemory(1000e9)
                .roofline(100e12)
                .run(trace(node));
        assertThat(result.finishNs()).containsOnly(100_000);
        assertThat(result.exposedNs()).containsOnly(0);
        NpuStatistics.Utilization use =
                result.statistics().get(0).orElseThrow().roofline().orElseThrow();
        assertThat(use.memory()).isEqualTo(100_000 / 100_001.0);
        assertThat(use.computeBound()).isZero();
    }

    @Test
    void serialisesAccessesToPool() {
        EtNode load = EtNode.of(0, "load", NodeType.of(2), EtAttribute.ofUnsigned("tensor_size", 1000));
        MemorySpec pool = new MemorySpec(MemorySpec.Kind.POOL, 100, 10, 0);
        assertThat(TestSystem.of(Topology.RING, 3).memory(pool).run(trace(load)).finishNs())
                .containsExactly(200, 400, 600);
    }

    @Test
    void reportsMissingPartners() {
        RankTrace one = trace(message(5, false, 1, 0, 64, 3));
        RankTrace two = trace(message(6, false, 0, 1, 64, 3));
        SimulationResult result = TestSystem.of(Topology.FULLY_CONNECTED, 2).run(List.of(one, two));
        CollectiveDeadlock stuck = result.stuck().orElseThrow();
        assertThat(result.finishNs()).containsOnly(-1);
        assertThat(stuck.cycle()).containsExactly(0, 1);
        assertThat(stuck.waiting().get(0).what()).contains("receive node 5").contains("from NPU 1");
        assertThat(stuck.waiting().get(0).peers()).containsExactly(1);
    }

    @Test
    void finishesCyclicNodesOnlyInReferenceMode() {
        RankTrace trace = trace(compute(0, 1), compute(1, 1).withDataDeps(1));
        assertThat(TestSystem.of(Topology.RING, 3).run(trace).finishNs()).containsOnly(1000);
        SimulationResult ours =
                TestSystem.of(Topology.RING, 3).compat(AstraCompat.NONE).run(trace);
        assertThat(ours.stuck().orElseThrow().waiting().get(0).what()).contains("form a cycle");
    }

    @Test
    void rejectsTooSmallExchangeWithItsNode() {
        TestSystem machine = TestSystem.of(Topology.RING, 8)
                .family(TestSystem.HALVING_DOUBLING)
                .splits(1);
        assertThatThrownBy(() -> machine.run(trace(collective(7, ALL_REDUCE, 8))))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("trace: node 7 (collective 7)")
                .hasMessageContaining("0 bytes");
    }
}
