package dev.stagesim.sim.collective;

import static dev.stagesim.sim.collective.TestSystem.collective;
import static dev.stagesim.sim.collective.TestSystem.compute;
import static dev.stagesim.sim.collective.TestSystem.message;
import static dev.stagesim.sim.collective.TestSystem.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.Procedure;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.ChunkOrder;
import dev.stagesim.sim.collective.spec.DimensionOrder;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs with symmetry equal runs without it exactly, or report why symmetry was not used. */
final class SymmetryTest {
    private static final int[] KINDS = {0, 2, 7, 6};
    private static final int[] SIZES = {2, 3, 4, 8};
    private static final Procedure[] FAMILIES = {
        TestSystem.RING, TestSystem.DIRECT, TestSystem.HALVING_DOUBLING, TestSystem.RING
    };

    @Test
    void matchesFullSimulationOnRandomMachines() {
        compareRandomMachines(10, 1);
    }

    @Test
    @Tag("long")
    void matchesFullSimulationOnManyRandomMachines() {
        compareRandomMachines(400, 100);
    }

    private static void compareRandomMachines(int seeds, int minUsed) {
        assertThat(used(false, seeds)).isBetween(minUsed, seeds - Math.max(1, seeds / 40));
        assertThat(used(true, seeds)).isBetween(minUsed, seeds - Math.max(1, seeds / 40));
    }

    /** Returns the number of machines with equivalent NPUs. */
    private static int used(boolean isShared, int seeds) {
        int used = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SimulationResult full = run(seed, false, isShared);
            SimulationResult folded = run(seed, true, isShared);
            assertSame(seed, folded, full);
            if (folded.symmetry().simulatedNpus() < full.symmetry().simulatedNpus()) {
                assertThat(folded.symmetry().note()).isEmpty();
                used++;
            } else {
                assertThat(folded.symmetry().note()).isNotEmpty();
            }
        }
        return used;
    }

    static void assertSame(int seed, SimulationResult folded, SimulationResult full) {
        assertThat(folded.finishNs()).as("seed %d", seed).isEqualTo(full.finishNs());
        assertThat(folded.exposedNs()).as("seed %d", seed).isEqualTo(full.exposedNs());
        assertThat(folded.finishOrder()).as("seed %d", seed).isEqualTo(full.finishOrder());
        assertThat(folded.statistics()).as("seed %d", seed).isEqualTo(full.statistics());
        assertThat(folded.stuck()).as("seed %d", seed).isEqualTo(full.stuck());
        assertThat(folded.endNs()).as("seed %d", seed).isEqualTo(full.endNs());
        assertThat(folded.traffic().messages())
                .as("seed %d", seed)
                .isEqualTo(full.traffic().messages());
        assertThat(folded.traffic().links())
                .as("seed %d", seed)
                .isEqualTo(full.traffic().links());
        assertThat(folded.traffic().unclaimed())
                .as("seed %d", seed)
                .isEqualTo(full.traffic().unclaimed());
    }

    private static SimulationResult run(int seed, boolean isSymmetric, boolean isShared) {
        Random random = new Random(seed);
        TestSystem machine = TestSystem.empty().compat(AstraCompat.NONE).symmetric(isSymmetric);
        if (isShared) {
            machine.shared();
        }
        int dims = 1 + random.nextInt(3);
        List<Algorithm> algorithms = new ArrayList<>();
        for (int d = 0; d < dims; d++) {
            int size = SIZES[random.nextInt(dims == 1 ? 4 : 3)];
            Topology topology = Topology.values()[random.nextInt(3)];
            machine.dimension(topology, size, 25 << random.nextInt(2), 100 * random.nextInt(3));
            Procedure family = FAMILIES[random.nextInt(FAMILIES.length)];
            boolean isFlat = d == dims - 1 && random.nextInt(4) == 0;
            boolean isAwkward = (family == TestSystem.HALVING_DOUBLING && Integer.bitCount(size) != 1) || isFlat;
            int window = family == TestSystem.DIRECT ? random.nextInt(3) : 0;
            algorithms.add(new Algorithm(isAwkward ? TestSystem.DIRECT : family, window, isFlat));
        }
        machine.algorithms(algorithms.toArray(Algorithm[]::new));
        if (random.nextBoolean()) {
            machine.baseline();
        }
        machine.splits(1 + random.nextInt(4)).active(1 + random.nextInt(3)).queues(1 + random.nextInt(3));
        machine.endpointDelay(random.nextInt(3) * 5).localMemory(random.nextBoolean() ? 50e9 : 0);
        if (random.nextInt(3) == 0) {
            machine.orders(DimensionOrder.Kind.values()[random.nextInt(3)], ChunkOrder.values()[random.nextInt(4)]);
        }
        boolean isHalving =
                algorithms.stream().anyMatch(algorithm -> algorithm.procedure() == TestSystem.HALVING_DOUBLING);
        return machine.run(traces(random, machine.npus(), isHalving ? 3 : 4));
    }

    /** Returns one trace for all NPUs, or two that alternate along the lowest dimension. */
    private static List<RankTrace> traces(Random random, int npus, int kinds) {
        RankTrace first = trace(nodes(random, kinds));
        if (random.nextInt(4) > 0) {
            return Collections.nCopies(npus, first);
        }
        RankTrace second = trace(compute(0, 3), compute(1, 2).withDataDeps(0));
        List<RankTrace> all = new ArrayList<>();
        int half = npus / 2;
        for (int rank = 0; rank < npus; rank++) {
            all.add(rank < half ? first : random.nextBoolean() ? second : first);
        }
        return all;
    }

    @Test
    void matchesFullSimulationWhenSomeNpusAreSlower() {
        compareNearlySymmetric(10);
    }

    @Test
    @Tag("long")
    void matchesFullSimulationOfManyMachinesWithSlowerNpus() {
        compareNearlySymmetric(200);
    }

    private static void compareNearlySymmetric(int seeds) {
        int used = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SimulationResult full = nearlySymmetric(seed, false);
            SimulationResult folded = nearlySymmetric(seed, true);
            assertSame(seed, folded, full);
            used += folded.symmetry().simulatedNpus() < full.symmetry().simulatedNpus() ? 1 : 0;
        }
        assertThat(used).isBetween(seeds / 10, seeds * 9 / 10);
    }

    /** Runs equal collectives after a computation that is longer on one NPU, on a half, or on a row of NPUs. */
    private static SimulationResult nearlySymmetric(int seed, boolean isSymmetric) {
        Random random = new Random(seed);
        TestSystem machine = TestSystem.empty().compat(AstraCompat.NONE).symmetric(isSymmetric);
        int first = 2 << random.nextInt(2);
        int second = 2 << random.nextInt(2);
        machine.dimension(Topology.values()[random.nextInt(3)], first, 50, 100)
                .dimension(Topology.values()[random.nextInt(3)], second, 50, 100)
                .family(FAMILIES[random.nextInt(3)], FAMILIES[random.nextInt(3)])
                .splits(1 + random.nextInt(6))
                .active(1 + random.nextInt(3))
                .queues(1 + random.nextInt(2));
        EtNode[] work = nodes(random, 3);
        long more = random.nextInt(2) * 1000L;
        EtNode[] slower = work.clone();
        for (int i = 0; i < slower.length; i++) {
            slower[i] =
                    slower[i].typeNumber() == 4 ? slower[i].withDuration(slower[i].durationMicros() + more) : work[i];
        }
        RankTrace regular = trace(work);
        RankTrace late = trace(slower);
        int which = random.nextInt(3);
        List<RankTrace> all = new ArrayList<>();
        for (int rank = 0; rank < machine.npus(); rank++) {
            boolean isLate = which == 0 ? rank == 3 : which == 1 ? rank % first == 0 : rank < machine.npus() / 2;
            all.add(isLate ? late : regular);
        }
        return machine.run(all);
    }

    @Test
    void foldsOverlappingChunksInDefaultOrder() {
        for (DimensionOrder.Kind kind : DimensionOrder.Kind.values()) {
            TestSystem machine = torus(8, 4, 4)
                    .orders(kind, ChunkOrder.FIFO)
                    .active(3)
                    .splits(7)
                    .compat(AstraCompat.NONE);
            RankTrace trace = trace(
                    collective(0, 0, 1 << 22), collective(1, 6, 1 << 20).withDataDeps(0), collective(2, 2, 1 << 20));
            SimulationResult folded = machine.symmetric(true).run(trace);
            assertThat(folded.symmetry().simulatedNpus())
                    .as(folded.symmetry().note())
                    .isEqualTo(1);
            assertSame(0, folded, machine.symmetric(false).run(trace));
        }
    }

    @Test
    void foldsThreeActiveChunksOnLargeTorus() {
        SimulationResult result = torus(64, 32, 32)
                .active(3)
                .splits(16)
                .compat(AstraCompat.NONE)
                .symmetric(true)
                .run(trace(collective(0, 0, 64 << 20)));
        assertThat(result.symmetry().simulatedNpus()).isEqualTo(1);
        assertThat(result.traffic().messages()).isEqualTo(262_144_000);
        assertThat(result.finishNs()).hasSize(65536).containsOnly(result.finishNs()[0]);
    }

    /** With the reference's order, equivalent NPUs choose different next chunks, so that they diverge or deadlock. */
    @Test
    void doesNotFoldReferenceOrderWhenPathsDiffer() {
        TestSystem machine = torus(4, 4, 4)
                .orders(DimensionOrder.Kind.THEMIS, ChunkOrder.FIFO)
                .compat(AstraCompat.ASTRA);
        RankTrace trace = trace(collective(0, 0, 1 << 20));
        SimulationResult apart = machine.active(2).splits(7).run(trace);
        assertThat(apart.stuck()).isEmpty();
        assertThat(Arrays.stream(apart.finishNs()).distinct().count()).isEqualTo(13);
        assertThat(machine.active(1).splits(4).run(trace).stuck()).isPresent();
        SimulationResult ours = machine.compat(AstraCompat.NONE).run(trace);
        assertThat(ours.finishNs()).containsOnly(81005);
        assertThat(machine.symmetric(true).run(trace).symmetry().simulatedNpus())
                .isEqualTo(1);
        assertThat(machine.compat(AstraCompat.ASTRA)
                        .active(2)
                        .splits(7)
                        .run(trace)
                        .symmetry()
                        .note())
                .contains("order of events differs");
    }

    private static TestSystem torus(int... sizes) {
        TestSystem machine = TestSystem.empty();
        for (int size : sizes) {
            machine.dimension(Topology.RING, size, 50, 500);
        }
        return machine.family(Collections.nCopies(sizes.length, TestSystem.RING).toArray(Procedure[]::new));
    }

    private static EtNode[] nodes(Random random, int kinds) {
        List<EtNode> nodes = new ArrayList<>();
        int count = 1 + random.nextInt(6);
        for (int id = 0; id < count; id++) {
            int kind = KINDS[random.nextInt(kinds)];
            boolean isCompute = random.nextInt(3) == 0;
            EtNode node = isCompute
                    ? compute(id, 1 + random.nextInt(20))
                    : collective(id, kind, 20_000L + random.nextInt(100_000));
            if (id > 0 && random.nextInt(4) > 0) {
                node = node.withDataDeps(random.nextInt(id));
            }
            nodes.add(node);
        }
        return nodes.toArray(EtNode[]::new);
    }

    @Test
    void simulatesOneNpuForThousands() {
        TestSystem machine = TestSystem.empty()
                .dimension(Topology.RING, 16, 300, 50)
                .dimension(Topology.FULLY_CONNECTED, 64, 100, 500)
                .dimension(Topology.SWITCH, 64, 50, 1000)
                .family(TestSystem.RING, TestSystem.DIRECT, TestSystem.HALVING_DOUBLING)
                .compat(AstraCompat.NONE)
                .symmetric(true);
        SimulationResult result = machine.run(trace(
                collective(0, 0, 1 << 24),
                compute(1, 100),
                collective(2, 2, 1 << 24).withDataDeps(1)));
        assertThat(result.symmetry().simulatedNpus()).isEqualTo(1);
        assertThat(result.finishNs()).hasSize(65536).containsOnly(result.finishNs()[0]);
    }

    @Test
    void reportsWhySymmetryIsNotUsed() {
        RankTrace trace = trace(collective(0, 0, 1 << 20));
        TestSystem machine = TestSystem.of(Topology.SWITCH, 4).symmetric(true);
        assertThat(machine.family(TestSystem.DIRECT).run(trace).symmetry().note())
                .contains("order of events differs");
        machine.family(TestSystem.RING).compat(AstraCompat.NONE);
        assertThat(machine.run(trace).symmetry().note()).isEmpty();
        assertThat(machine.family(TestSystem.DOUBLE_BINARY_TREE)
                        .run(trace)
                        .symmetry()
                        .note())
                .contains("double binary tree");
        assertThat(machine.family(TestSystem.RING)
                        .rendezvous()
                        .run(trace)
                        .symmetry()
                        .note())
                .contains("individual message");
        TestSystem shared = TestSystem.of(Topology.SWITCH, 4)
                .compat(AstraCompat.NONE)
                .symmetric(true)
                .shared();
        assertThat(shared.family(TestSystem.RING).run(trace).symmetry().note()).isEmpty();
        assertThat(pairsThatSendToOne().symmetry().note()).contains("reach a link at the same time");
    }

    /** Two NPUs with different work send to a third at the same time, twice, through a switch. */
    private static SimulationResult pairsThatSendToOne() {
        List<RankTrace> traces = new ArrayList<>();
        for (int rank = 0; rank < 4; rank++) {
            traces.add(trace(message(0, true, rank, 4 + rank % 2, 64_000, 1 + rank / 2)));
        }
        for (int rank = 4; rank < 6; rank++) {
            traces.add(
                    trace(message(0, false, rank - 4, rank, 64_000, 1), message(1, false, rank - 2, rank, 64_000, 2)));
        }
        return TestSystem.of(Topology.SWITCH, 6)
                .compat(AstraCompat.NONE)
                .symmetric(true)
                .shared()
                .run(traces);
    }

    @Test
    void matchesFullSimulationWhenUniquePairsExchangeMessages() {
        RankTrace receiver = trace(message(0, false, 0, 1, 64, 3));
        RankTrace idle = trace(compute(0, 5));
        TestSystem machine =
                TestSystem.of(Topology.RING, 8).compat(AstraCompat.NONE).symmetric(true);
        List<RankTrace> traces = new ArrayList<>(Collections.nCopies(8, idle));
        traces.set(0, trace(message(0, true, 0, 1, 64, 3)));
        traces.set(1, receiver);
        SimulationResult folded = machine.run(traces);
        assertThat(folded.symmetry().simulatedNpus()).isEqualTo(3);
        assertThat(folded.finishNs())
                .isEqualTo(machine.symmetric(false).run(traces).finishNs());
    }
}
