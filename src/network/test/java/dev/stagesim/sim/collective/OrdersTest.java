package dev.stagesim.sim.collective;

import static dev.stagesim.sim.collective.TestSystem.collective;
import static dev.stagesim.sim.collective.TestSystem.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.procedure.LogicalRing;
import dev.stagesim.sim.collective.procedure.Phase;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.ChunkOrder;
import dev.stagesim.sim.collective.spec.DimensionOrder;
import dev.stagesim.sim.collective.spec.SystemSpec;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.Topology;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class OrdersTest {
    private static final LogicalRing INNER = LogicalRing.of(4, 1);
    private static final LogicalRing OUTER = LogicalRing.of(2, 4);

    private static PhaseOrders orders(CollectiveKind kind) {
        return new PhaseOrders(
                kind,
                SystemSpec.Optimization.LOCAL_BW_AWARE,
                List.of(Algorithm.RING, Algorithm.RING),
                List.of(INNER, OUTER),
                new int[] {0, 1},
                800,
                true);
    }

    private static List<String> described(Phase[] phases) {
        return Arrays.stream(phases)
                .map(phase -> phase.kind() + " " + phase.dimension() + " " + phase.size())
                .toList();
    }

    @Test
    void reversesDimensionsForAllGathers() {
        assertThat(described(orders(CollectiveKind.ALL_REDUCE).in(new int[] {1, 0})))
                .containsExactly("REDUCE_SCATTER 1 800", "ALL_REDUCE 0 400", "ALL_GATHER 1 400");
        assertThat(described(orders(CollectiveKind.ALL_GATHER).in(new int[] {1, 0})))
                .containsExactly("ALL_GATHER 0 800", "ALL_GATHER 1 3200");
    }

    @Test
    void rotatesDimensionsOfChunks() {
        DimensionPicker picker = new DimensionPicker(new DimensionOrder(DimensionOrder.Kind.ROUND_ROBIN, List.of()), 2);
        PhaseOrders orders = orders(CollectiveKind.REDUCE_SCATTER);
        List<Integer> first = IntStream.range(0, 3)
                .mapToObj(i -> picker.next(orders)[0].dimension())
                .toList();
        assertThat(first).containsExactly(0, 1, 0);
    }

    @Test
    void startsChunksInDimensionWithMinimumLoad() {
        // Dimension 0 sends 600 bytes at 3 and dimension 1 then 100 bytes at 1; starting with dimension 1, 400 at 1
        // and 300 at 3.
        DimensionPicker picker =
                new DimensionPicker(new DimensionOrder(DimensionOrder.Kind.THEMIS, List.of(3.0, 1.0)), 2);
        PhaseOrders orders = orders(CollectiveKind.REDUCE_SCATTER);
        List<Integer> first = IntStream.range(0, 5)
                .mapToObj(i -> picker.next(orders)[0].dimension())
                .toList();
        // Loads before each chunk: 0 0, 200 100, 300 500, 500 600, 700 700.
        assertThat(first).containsExactly(0, 1, 0, 0, 0);
    }

    @Test
    void shortensAllReduceWhenDimensionsAreBalanced() {
        RankTrace trace = trace(collective(0, 0, 64 << 20));
        TestSystem machine = TestSystem.empty()
                .dimension(Topology.RING, 4, 100, 100)
                .dimension(Topology.RING, 4, 100, 100)
                .family(TestSystem.RING, TestSystem.RING)
                .splits(16)
                .localMemory(3e12)
                .compat(AstraCompat.NONE);
        long ascending = machine.run(trace).finishNs()[0];
        long balanced = machine.orders(DimensionOrder.Kind.THEMIS, ChunkOrder.FIFO)
                .run(trace)
                .finishNs()[0];
        assertThat(balanced).isLessThan(ascending * 4 / 5);
    }

    /** The reference counts the chunks of all communicators together, and assigns their queues in turn. */
    @Test
    void completesWhenNpuIsInSeveralGroups() {
        RankTrace inGroup = trace(
                collective(0, 0, 4000, EtAttribute.ofText("pg_name", "1")),
                collective(1, 0, 1 << 20).withDataDeps(0));
        RankTrace outside = trace(collective(1, 0, 1 << 20));
        TestSystem machine = TestSystem.of(Topology.RING, 4).queues(2).active(2).group(1, 0, 1);
        List<RankTrace> traces = List.of(inGroup, inGroup, outside, outside);
        SimulationResult reference = machine.run(traces);
        assertThat(reference.stuck().orElseThrow().causes())
                .containsExactly(
                        "NPUs have begun 4 to 8 chunks: they do not run the same collectives in the same order,"
                                + " so that their chunks have different numbers and do not meet");
        assertThat(machine.compat(AstraCompat.NONE).run(traces).stuck()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(ChunkOrder.class)
    void ordersWaitingChunks(ChunkOrder order) {
        StreamQueue queue = new StreamQueue();
        // Reduce-scatters of one phase and all-gathers of two, in the order of arrival.
        queue.insert(chunk("a", CollectiveKind.REDUCE_SCATTER, 300, 1), order);
        queue.insert(chunk("b", CollectiveKind.REDUCE_SCATTER, 200, 1), order);
        queue.insert(chunk("c", CollectiveKind.ALL_GATHER, 250, 2), order);
        queue.insert(chunk("d", CollectiveKind.REDUCE_SCATTER, 100, 1), order);
        StringBuilder served = new StringBuilder();
        for (ChunkState next = queue.next(9); next != null; next = queue.next(9)) {
            served.append((char) next.tag);
        }
        String wanted =
                switch (order) {
                    case FIFO -> "abcd";
                    case SMALLEST_FIRST -> "dbca";
                    case FEWEST_PHASES_FIRST -> "abdc";
                    case ALTERNATING -> "acbd";
                };
        assertThat(served).hasToString(wanted);
    }

    private static ChunkState chunk(String name, CollectiveKind kind, long size, int phases) {
        Npu npu = new Npu(0, trace(collective(0, 0, 1)), new NodePlans(trace(collective(0, 0, 1))));
        NodePlan plan =
                new NodePlan(orders(kind), orders(kind), 0, 1, java.util.Optional.empty(), java.util.Optional.empty());
        ChunkState stream = new ChunkState(0, npu, plan, new ActiveCollective(0, 1), null);
        Phase phase = new Phase(kind, 0, Phase.Allocator.GENERAL, Algorithm.RING, INNER, size, true);
        stream.phases = new Phase[phases];
        Arrays.fill(stream.phases, phase);
        stream.tag = name.charAt(0);
        return stream;
    }
}
