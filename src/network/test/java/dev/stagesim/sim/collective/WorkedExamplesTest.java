package dev.stagesim.sim.collective;

import static dev.stagesim.sim.collective.Machine.collective;
import static dev.stagesim.sim.collective.Machine.compute;
import static dev.stagesim.sim.collective.Machine.message;
import static dev.stagesim.sim.collective.Machine.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.network.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Figures that can be worked out by hand; each equals a run of the reference. */
final class WorkedExamplesTest {
    private static final int ALL_REDUCE = 0;
    private static final int ALL_GATHER = 2;
    private static final int REDUCE_SCATTER = 7;
    private static final long MEBI = 1 << 20;

    private static final RankTrace ONE_MEBI = trace(collective(0, ALL_REDUCE, MEBI));

    @Test
    void ringOfFour() {
        assertThat(Machine.of(Topology.RING, 4).run(ONE_MEBI).finishNs()).containsOnly(88720);
        assertThat(Machine.of(Topology.RING, 4).aware().run(ONE_MEBI).finishNs())
                .containsOnly(88720);
    }

    @Test
    void ringOnASwitchPaysTwoHops() {
        assertThat(Machine.of(Topology.SWITCH, 4).run(ONE_MEBI).finishNs()).containsOnly(100720);
        assertThat(Machine.of(Topology.SWITCH, 4).aware().run(ONE_MEBI).finishNs())
                .containsOnly(130000);
    }

    @Test
    void directOnASwitch() {
        assertThat(Machine.of(Topology.SWITCH, 4)
                        .family(Machine.DIRECT)
                        .run(ONE_MEBI)
                        .finishNs())
                .containsOnly(33600);
    }

    @Test
    void halvingDoublingOfTheWalkThroughInBothReleases() {
        Machine machine = Machine.of(Topology.SWITCH, 64).family(Machine.HALVING_DOUBLING);
        RankTrace trace = trace(collective(0, ALL_REDUCE, 65536));
        assertThat(machine.run(trace).finishNs()).containsOnly(52776);
        assertThat(machine.compat(Compat.ASTRA_2023).run(trace).finishNs()).containsOnly(50904);
    }

    @Test
    void allGatherGoesDownTheDimensions() {
        Machine machine = Machine.empty()
                .dimension(Topology.RING, 4, 100, 200)
                .dimension(Topology.SWITCH, 2, 25, 700)
                .family(Machine.RING, Machine.RING)
                .splits(1);
        assertThat(machine.run(trace(collective(0, ALL_GATHER, 1_000_000))).finishNs())
                .containsOnly(95190);
    }

    @Test
    void aRemainderIsAWholeChunk() {
        Machine machine = Machine.of(Topology.SWITCH, 4);
        assertThat(machine.run(trace(collective(0, REDUCE_SCATTER, 1000))).finishNs())
                .containsOnly(12208);
        assertThat(machine.run(trace(collective(0, REDUCE_SCATTER, 1001))).finishNs())
                .containsOnly(15260);
    }

    @Test
    void doubleBinaryTreeEndsAtDifferentTimes() {
        Machine machine = Machine.of(Topology.SWITCH, 4)
                .family(Machine.DOUBLE_BINARY_TREE)
                .splits(1);
        assertThat(machine.run(trace(collective(0, ALL_REDUCE, 100_000))).finishNs())
                .containsExactly(29498, 26626, 29498, 17754);
    }

    @Test
    void groupsHaveTheirOwnEndpointDelay() {
        Machine machine = Machine.of(Topology.SWITCH, 4)
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
    void rooflineTakesWhatOperationsAndBytesNeed() {
        EtNode node = EtNode.of(
                0,
                "gemm",
                NodeType.of(4),
                EtAttribute.ofUnsigned("num_ops", 100_000_000),
                EtAttribute.ofUnsigned("tensor_size", 100_000_000));
        SimulationResult result = Machine.of(Topology.RING, 3)
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
    void aPoolServesOneAtATime() {
        EtNode load = EtNode.of(0, "load", NodeType.of(2), EtAttribute.ofUnsigned("tensor_size", 1000));
        MemorySpec pool = new MemorySpec(MemorySpec.Kind.POOL, 100, 10, 0);
        assertThat(Machine.of(Topology.RING, 3).memory(pool).run(trace(load)).finishNs())
                .containsExactly(200, 400, 600);
    }

    @Test
    void missingPeersAreNamed() {
        RankTrace one = trace(message(5, false, 1, 0, 64, 3));
        RankTrace two = trace(message(6, false, 0, 1, 64, 3));
        SimulationResult result = Machine.of(Topology.FULLY_CONNECTED, 2).run(List.of(one, two));
        CollectiveDeadlock stuck = result.stuck().orElseThrow();
        assertThat(result.finishNs()).containsOnly(-1);
        assertThat(stuck.cycle()).containsExactly(0, 1);
        assertThat(stuck.waiting().get(0).what()).contains("receive node 5").contains("from NPU 1");
        assertThat(stuck.waiting().get(0).peers()).containsExactly(1);
    }

    @Test
    void nodesInACircleFinishOnlyForTheReference() {
        RankTrace trace = trace(compute(0, 1), compute(1, 1).withDataDeps(1));
        assertThat(Machine.of(Topology.RING, 3).run(trace).finishNs()).containsOnly(1000);
        SimulationResult ours = Machine.of(Topology.RING, 3).compat(Compat.NONE).run(trace);
        assertThat(ours.stuck().orElseThrow().waiting().get(0).what()).contains("form a cycle");
    }

    @Test
    void anExchangeTooSmallIsRefusedWithItsNode() {
        Machine machine =
                Machine.of(Topology.RING, 8).family(Machine.HALVING_DOUBLING).splits(1);
        assertThatThrownBy(() -> machine.run(trace(collective(7, ALL_REDUCE, 8))))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("trace: node 7 (collective 7)")
                .hasMessageContaining("0 bytes");
    }
}
